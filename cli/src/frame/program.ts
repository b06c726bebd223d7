// Turns the list of commands into a program: parses the arguments, runs one command, prints what it returns or why it
// failed.
import { CommanderError, Command as Parser } from 'commander'
import { readVersion } from '../version.ts'
import { type Command, exitCodes, type Result, type Shown } from './command.ts'
import { createContext, once } from './context.ts'
import { Failure, toFailure } from './failure.ts'
import { paint, print, printError, withProgress } from './terminal.ts'

/** They start or copy an installation on this machine; `server/start.js` knows them. */
const serverCommands = [
  ['start', 'Start an installation: the default without a command'],
  ['demo', 'Run the product in front of a simulated provider'],
  ['db:backup <file>', 'Copy the embedded database to a file'],
  ['db:restore <file>', 'Replace the embedded database by a file'],
] as const
const globalOptions = [
  ['--project <slug>', 'the project, by slug or id (default: SALLYPORT_PROJECT, or the only one)'],
  ['--tenant <name>', 'the tenant, by name or id (default: that of the project, or the only one)'],
  ['--url <address>', `the installation's address (default: SALLYPORT_URL, that of login, or http://localhost:8080)`],
  ['--json', 'print JSON, one document or one line for each event'],
] as const
const groupSummaries: Record<string, string> = {
  import: 'Write a project file from the configuration of LiteLLM or Portkey',
  audit: 'Prove an exported audit',
  tenants: 'Create a tenant',
  settings: 'Read and change the draft of a project',
}
const examples = `  $ sallyport                                          start an installation here
  $ sallyport login --url https://llm.example.com
  $ sallyport settings set rpm_limit=120 --project amber-falcon-4821
  $ sallyport settings diff; sallyport deploy
  $ sallyport requests --follow --status 5xx`
const footer = `Exit codes: 0 done, 1 error, 2 differences.
Credentials: sallyport login, or SALLYPORT_TOKEN; for killswitch also SALLYPORT_ADMIN_SECRET.`

export async function runProgram(commands: readonly Command[], args: readonly string[]): Promise<number> {
  const catchInterruption = once(() => {
    const interruption = new AbortController()
    process.once('SIGINT', () => interruption.abort())
    return interruption.signal
  })
  // `head` and the like close the pipe when they have enough.
  process.stdout.on('error', () => process.exit(exitCodes.done))
  const isJson = args.includes('--json')
  let code: number = exitCodes.done
  const program = buildProgram(commands, async (command, parsed, values) => {
    const context = createContext(values, process.env, catchInterruption)
    const work = command.run({ args: parsed, options: values }, context)
    code = await show(await withProgress('Working', work), isJson)
  })
  try {
    await program.parseAsync(args.slice(), { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done
    return fail(error instanceof CommanderError ? toUsageFailure(error) : error, isJson)
  }
}

type Run = (command: Command, args: string[], options: Record<string, string | boolean | undefined>) => Promise<void>

function buildProgram(commands: readonly Command[], run: Run): Parser {
  const program = prepare(new Parser('sallyport'))
    .usage('[command] [options]')
    .version(readVersion(), '--version', 'show the version')
    .addHelpText('before', `Examples:\n${examples}\n`)
    .addHelpText('after', `\n${footer}`)
  for (const [flags, meaning] of globalOptions) program.option(flags, meaning)
  for (const [name, summary] of serverCommands) program.command(name).description(summary).helpGroup('Server:')
  for (const command of commands) addCommand(program, command, run)
  return program
}

function prepare(parser: Parser): Parser {
  return (
    parser
      .exitOverride()
      .helpCommand(false)
      .helpOption('--help', 'show this help')
      // Errors are printed below, as all others are.
      .configureOutput({ outputError: () => undefined })
      .configureHelp({ styleTitle: text => paint('bold', text), sortSubcommands: false, showGlobalOptions: true })
  )
}

function addCommand(program: Parser, command: Command, run: Run): void {
  const words = command.name.split(' ')
  const last = words.pop() ?? ''
  let group = program
  for (const word of words) group = group.commands.find(one => one.name() === word) ?? addGroup(group, word)
  const parser = findOrAdd(group, last).description(command.summary)
  parser.addHelpText('before', `Example:\n  $ ${command.example}\n`)
  for (const [form, meaning] of command.args ?? []) parser.argument(form, meaning)
  for (const [flags, meaning] of command.options ?? []) parser.option(flags, meaning)
  parser.action(async () => await run(command, parser.processedArgs.flat().filter(isGiven), parser.optsWithGlobals()))
}

/** `keys` lists, and `keys create` creates: a command may have commands below it. */
function findOrAdd(group: Parser, name: string): Parser {
  return group.commands.find(one => one.name() === name) ?? prepare(group.command(name))
}

function addGroup(group: Parser, name: string): Parser {
  const added = prepare(group.command(name)).description(groupSummaries[name] ?? '')
  return added.action(() => {
    throw new Failure(`Which command of ${name}?`, `\`sallyport ${name} --help\` lists them.`, 'usage')
  })
}

function toUsageFailure({ message, code }: CommanderError): Failure {
  const words = message.replace(/^error: /, '').replace(/^./, letter => letter.toUpperCase())
  const next = code === 'commander.unknownCommand' ? '`sallyport --help` lists them.' : 'Add --help to see how.'
  return new Failure(words, next, 'usage')
}

function isGiven(value: unknown): value is string {
  return value !== undefined
}

async function show(result: Result, isJson: boolean): Promise<number> {
  if (!('lines' in result)) {
    print(isJson ? JSON.stringify(result.json, null, 2) : result.text)
    return exitCodes[result.ending ?? 'done']
  }
  let ending: Shown['ending']
  for await (const line of result.lines) {
    print(isJson ? JSON.stringify(line.json) : line.text)
    ending = line.ending
  }
  return exitCodes[ending ?? 'done']
}

function fail(error: unknown, isJson: boolean): number {
  const failure = toFailure(error) ?? new Failure(`This is a fault of the program: ${String(error)}`)
  const { message, next, code } = failure
  if (isJson) printError(JSON.stringify({ error: { message, code, next } }))
  else {
    printError(`${paint('red', 'Error:', process.stderr)} ${message}`)
    if (next !== null) printError(next)
  }
  return exitCodes.failed
}
