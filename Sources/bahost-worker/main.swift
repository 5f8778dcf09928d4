internal import PluginRuntime

LauncherProgram.run(Array(CommandLine.arguments.dropFirst()))
