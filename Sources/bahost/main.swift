internal import Glibc
internal import HostCommands

exit(HostProgram.run())
