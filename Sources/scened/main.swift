import Glibc
import SceneDaemon

exit(Service.run(Array(CommandLine.arguments.dropFirst())))
