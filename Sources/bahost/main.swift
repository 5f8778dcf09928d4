internal import Glibc
internal import HostCommands

exit(HostProgram.run(Array(CommandLine.arguments.dropFirst())))
