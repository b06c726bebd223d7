// The entry point of every `sallyport` command that does not start or copy an installation.
import { commands } from './commands/all-commands.ts'
import { runProgram } from './frame/program.ts'

process.exitCode = await runProgram(commands, process.argv.slice(2))
