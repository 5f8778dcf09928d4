internal import PluginRuntime

WorkerProgram.run(Array(CommandLine.arguments.dropFirst()))
