import Glibc
import SceneCommands

exit(Scenectl.run(Array(CommandLine.arguments.dropFirst())))
