internal import Glibc

exit(RunBench.main(Array(CommandLine.arguments.dropFirst())))
