internal import Glibc

exit(QueueBench.main(Array(CommandLine.arguments.dropFirst())))
