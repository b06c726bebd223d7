// The entry point: reads arguments and configuration, starts the product, handles signals, and explains a failed start.

import type { App } from './app.ts'
import { readArguments } from './commands/arguments.ts'
import { type Config, choosePort, loadConfig } from './config/config.ts'
import { describeConfig } from './config/table.ts'
import type { UnreadVariable } from './config/unread-variables.ts'
import type { Log } from './domain/log.ts'
import { StartupProblem } from './domain/startup-problem.ts'
import { createLog } from './log/log.ts'
import { createTerminalSink } from './log/terminal-sink.ts'
import type { FirstProcess, FirstProcessOptions } from './processes/first-process.ts'
import { findProcessNumber } from './processes/protocol.ts'
import { greetPerson, greetProgram } from './start/greeting.ts'
import { readVersion } from './start/version.ts'

const usage = `Usage: npm start [-- --port PORT | --help | --version], or sallyport start [--port PORT | --help | --version]

Starts Sallyport. Without configuration it runs embedded: a database in ./data, no other service, on port 8080.
All settings are environment variables, PORT among them; docs/configuration.md explains them:
`
const options = { flags: ['--help', '--version'], values: ['--port'], maxWords: 0 }

/** Draining takes at most 30 seconds, and the process must end within 35, even if something hangs. */
const maxStopMs = 34_000
/** A terminal signals npm and the server, and npm forwards its own signal: both count as one. */
const echoMs = 1000
/** How long a process lives on after the first one. */
const maxOrphanMs = 300

async function run(args: readonly string[]): Promise<void> {
  const number = findProcessNumber(args)
  const { flags, values } = readArguments(number === null ? args : [], options)
  if (flags.has('--help')) return print(usage + describeVariables())
  if (flags.has('--version')) return print(readVersion())
  const port = values.get('--port')
  if (port !== undefined) choosePort(port)
  const config = loadConfig()
  if (number === null) await runFirst(config)
  else await runOther(config, number)
}

/** The process that was started from outside. */
async function runFirst(config: Config): Promise<void> {
  const { processes: count } = config
  const log = openLog(config.logLevel, count === 1 ? undefined : 1)
  exitOnErrors(log)
  warnOfVariables(config, log)
  const version = readVersion()
  const isShared = config.mode === 'embedded'
  const mainFile = import.meta.filename
  const others = count === 1 ? null : await prepareOthers({ count, mainFile, version, log, isShared })
  const opening = openFirst(config, log, others)
  endOnSignals(opening, log)
  const app = await opening
  if (others !== null) await startOthers(others, app)
  if (others !== null) replaceOnHangUp(others, log)
  const { address, firstUser } = app
  log.info('serving', { mode: config.mode, bind: address.address, port: address.port, version })
  const greet = process.stdout.isTTY ? greetPerson : greetProgram
  process.stdout.write(greet({ config, firstUser, version }))
}

function warnOfVariables({ unread: { misspelt, clientKeys } }: Config, log: Log): void {
  const fieldsOf = (unread: readonly UnreadVariable[]) => ({
    variables: unread.map(({ name }) => name),
    instead: unread.map(({ instead }) => instead),
  })
  if (misspelt.length > 0) log.warn('unknown environment variables, the likely names are', fieldsOf(misspelt))
  if (clientKeys.length > 0) log.warn('keys of providers are not read from these variables', fieldsOf(clientKeys))
}

async function prepareOthers(options: FirstProcessOptions): Promise<FirstProcess> {
  const { FirstProcess } = await import('./processes/first-process.ts')
  return new FirstProcess(options)
}

async function openFirst(config: Config, log: Log, others: FirstProcess | null): Promise<App> {
  // Most of the modules load here, so that --help and a wrong variable are answered at once.
  const { startApp } = await import('./app.ts')
  return await startApp(config, log, others?.place)
}

async function startOthers(others: FirstProcess, app: App): Promise<void> {
  try {
    await others.startOthers(app)
  } catch (error) {
    await app.stop()
    throw error
  }
}

/** A process that the first one started. */
async function runOther(config: Config, number: number): Promise<void> {
  const log = openLog(config.logLevel, number)
  exitOnErrors(log)
  // A terminal signals all processes; the first one passes it on.
  process.on('SIGINT', () => undefined)
  process.on('SIGHUP', () => undefined)
  let app: App | null = null
  const { joinFirstProcess } = await import('./processes/other-process.ts')
  const { place, reportReady } = await joinFirstProcess(readVersion(), log, () => endWithFirst(app, log))
  const { startApp } = await import('./app.ts')
  app = await startApp(config, log, place)
  endOnSignals(Promise.resolve(app), log, ['SIGTERM'])
  reportReady(app)
}

/**
 * Streams get their last event, within the second after which no process must be left. Nothing else is left to save, so
 * the process does not exit, which can wait for threads that a start has begun.
 */
function endWithFirst(app: App | null, log: Log): void {
  log.error('the first process ended, ending this one')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), maxOrphanMs)
  void app?.cutOff()
}

/** The system also sends SIGHUP when a terminal is closed: then it ends the program, as by default. */
function replaceOnHangUp(others: FirstProcess, log: Log): void {
  if (process.stdout.isTTY) return
  process.on('SIGHUP', signal => {
    log.info('replacing the other processes', { signal })
    void others.replaceOthers()
  })
}

/** A terminal gets plain lines, and by default only warnings and errors. */
function openLog(level: string | null, number?: number): Log {
  const own = number === undefined ? {} : { process: number }
  if (!process.stderr.isTTY) return createLog({ level: level ?? 'info', ...own })
  return createLog({ level: level ?? 'warn', destination: createTerminalSink(process.stderr), ...own })
}

/** A signal before the port is open waits for that: what a start has done by then is only known at its end. */
function endOnSignals(opening: Promise<App>, log: Log, signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT']): void {
  let signalledAt: number | null = null
  const end = async (signal: NodeJS.Signals) => {
    if (signalledAt !== null) {
      // A second signal ends the process at once.
      if (performance.now() - signalledAt > echoMs) process.exit(1)
      return
    }
    signalledAt = performance.now()
    log.info('stopping', { signal })
    setTimeout(() => {
      log.error('shutdown took too long, ending the process')
      process.exit(1)
    }, maxStopMs)
    const app = await opening.catch(() => null)
    // The error of a failed start is printed below.
    if (app === null) return
    try {
      await app.stop()
      process.exit(0)
    } catch (error) {
      log.error('shutdown failed', { error })
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, end)
}

/** The runtime would print the error's message, and messages may hold secrets. */
function exitOnErrors(log: Log): void {
  process.on('uncaughtException', error => {
    log.error('unexpected error ends the process', { error })
    process.exit(1)
  })
}

function describeVariables(): string {
  return describeConfig()
    .map(({ title, variables }) => {
      const lines = variables.map(variable => `  ${variable.name.padEnd(30)} ${variable.meaning} (${variable.default})`)
      return `\n${title}\n${lines.join('\n')}\n`
    })
    .join('')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function explain(error: unknown): string {
  if (error instanceof StartupProblem) return error.message.replace(/\s+/g, ' ')
  openLog('error').error('start failed', { error })
  return 'Sallyport could not start because of an internal error; report it with the log line above.'
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
})
