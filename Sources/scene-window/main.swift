import Glibc
import SceneWindow

exit(await SceneWindow.run(Array(CommandLine.arguments.dropFirst())))
