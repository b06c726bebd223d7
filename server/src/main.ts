// The entry point: reads arguments and configuration, starts the product, handles signals, and explains a failed start.

import type { App } from './app.ts'
import { loadConfig } from './config/config.ts'
import { describeConfig } from './config/table.ts'
import type { Log } from './domain/log.ts'
import { StartupProblem } from './domain/startup-problem.ts'
import { createLog } from './log/log.ts'
import { createTerminalSink } from './log/terminal-sink.ts'
import { greetPerson, greetProgram } from './start/greeting.ts'
import { releaseStartMemory } from './start/release-heap.ts'
import { readVersion } from './start/version.ts'

const usage = `Usage: npm start [-- --help | --version], or sallyport start [--help | --version]

Starts Sallyport. Without configuration it runs embedded: a database in ./data, no other service, on port 8080.
All settings are environment variables; docs/configuration.md explains them:
`

/** Draining takes at most 30 seconds, and the process must end within 35, even if something hangs. */
const maxStopMs = 34_000
/** A terminal signals npm and the server, and npm forwards its own signal: both count as one. */
const echoMs = 1000

async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(usage + describeVariables())
  if (args.includes('--version')) return print(readVersion())
  if (args.length > 0) throw new StartupProblem(`Unknown argument ${args[0]}: only --help and --version are known.`)
  const config = loadConfig()
  const log = openLog(config.logLevel)
  exitOnErrors(log)
  // Most of the modules load here, so that --help and a wrong variable are answered at once.
  const starting = import('./app.ts').then(({ startApp }) => startApp(config, log))
  endOnSignals(starting, log)
  const { address, firstUser, isIdle } = await starting
  releaseStartMemory(isIdle)
  log.info('serving', { mode: config.mode, bind: address.address, port: address.port, version: readVersion() })
  const greet = process.stdout.isTTY ? greetPerson : greetProgram
  process.stdout.write(greet({ config, firstUser, version: readVersion() }))
}

/** A terminal gets plain lines, and by default only warnings and errors. */
function openLog(level: string | null): Log {
  if (!process.stderr.isTTY) return createLog({ level: level ?? 'info' })
  return createLog({ level: level ?? 'warn', destination: createTerminalSink(process.stderr) })
}

/** A signal during the start waits for its end; the operating system kills a process that takes too long. */
function endOnSignals(starting: Promise<App>, log: Log): void {
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
    const app = await starting.catch(() => null)
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
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
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
