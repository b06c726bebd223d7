// Reports a test run: a line for each file when it ends, or only for those with a failure; after the last file all
// failures in full, the skipped tests with their reasons and the slowest files. The test command prints the counts.
import { relative } from 'node:path'
import type { Writable } from 'node:stream'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export interface Listing {
  /** False to leave out the files that pass and what their tests print, and to print how far the run is instead. */
  passedFiles: boolean
}

const progressLines = 8
const slowestFiles = 10

interface Skip {
  what: string
  why: string
}

export class LineReporter implements Reporter {
  /** A file that cannot be loaded, a failing hook and an error outside of all tests each count as one failure. */
  readonly counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  #vitest: Vitest | null = null
  #fileCount = 0
  #endedCount = 0
  readonly #skips: Skip[] = []
  readonly #times: { name: string; seconds: number }[] = []
  readonly #startedAt = performance.now()
  readonly #output: Writable
  readonly #listing: Listing

  constructor(output: Writable, listing: Listing) {
    this.#output = output
    this.#listing = listing
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    // Vitest would exit at once, and leave the processes of running tests behind.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal).on(signal, () => this.#interrupt(vitest))
    }
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#fileCount = specifications.length
  }

  onUserConsoleLog({ content }: { content: string }): void {
    if (!this.#listing.passedFiles) return
    this.#output.write(content.endsWith('\n') ? content : `${content}\n`)
  }

  onTestModuleEnd(module: TestModule): void {
    const file = this.#count(module)
    this.#endedCount++
    this.#times.push({ name: module.relativeModuleId, seconds: secondsOf(module) })
    if (this.#listing.passedFiles || file.failed > 0) this.#printFile(module, file)
    else if (this.#endedCount % Math.ceil(this.#fileCount / progressLines) === 0) this.#printProgress()
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    for (const { title, errors } of modules.flatMap(failuresIn)) this.#printError(title, errors)
    for (const error of unhandledErrors) this.#printError(titleOfUnhandled(error), [error])
    this.counts.failed += unhandledErrors.length
    if (this.#skips.length > 0) this.#output.write(`\nSkipped, ${this.#skips.length}:\n`)
    for (const { what, why } of this.#skips) this.#output.write(`  ${what}: ${why}\n`)
    this.#printSlowest()
    this.#output.write('\n')
  }

  #printSlowest(): void {
    const slowest = this.#times.toSorted((one, other) => other.seconds - one.seconds).slice(0, slowestFiles)
    this.#output.write('\nThe slowest files:\n')
    for (const { name, seconds } of slowest) this.#output.write(`${showSeconds(seconds)}  ${name}\n`)
  }

  /** Prints a file's number, its time including imports, its name and its counts, and its failures below. */
  #printFile(module: TestModule, file: Counts): void {
    const place = `${String(this.#endedCount).padStart(String(this.#fileCount).length)}/${this.#fileCount}`
    this.#output.write(
      `${place} ${showSeconds(secondsOf(module))}  ${module.relativeModuleId}  ${describeCounts(file)}\n`,
    )
    for (const { title, errors } of failuresIn(module)) {
      this.#output.write(`    FAILED ${title}: ${errors[0]?.message.split('\n')[0]}\n`)
    }
  }

  #printProgress(): void {
    const minutes = (performance.now() - this.#startedAt) / 60_000
    const { passed, failed } = this.counts
    this.#output.write(
      `${this.#endedCount} of ${this.#fileCount} files after ${minutes.toFixed(1)} min: ${passed} passed, ${failed} failed so far\n`,
    )
  }

  /** Running tests end and stop their servers; other tests do not start. */
  #interrupt(vitest: Vitest): void {
    process.exitCode = 1
    this.#output.write('\nEnding the run.\n')
    void vitest.cancelCurrentRun('keyboard-input')
  }

  #count(module: TestModule): Counts {
    const file: Counts = { passed: 0, failed: failuresBesideTests(module).length, skipped: 0 }
    for (const test of module.children.allTests()) {
      const result = test.result()
      if (result.state === 'passed' || result.state === 'failed') {
        file[result.state]++
      } else {
        file.skipped++
        this.#skips.push({ what: titleOf(test), why: whySkipped(test) })
      }
    }
    for (const state of ['passed', 'failed', 'skipped'] as const) this.counts[state] += file[state]
    return file
  }

  #printError(title: string, errors: readonly SerializedError[]): void {
    this.#output.write(`\nFAILED ${title}\n`)
    for (const error of errors) this.#vitest?.logger.printError(error, { fullStack: true, showCodeFrame: true })
  }
}

/** With its imports. */
function secondsOf(module: TestModule): number {
  const { duration, collectDuration, prepareDuration, setupDuration } = module.diagnostic()
  return (duration + collectDuration + prepareDuration + setupDuration) / 1000
}

function showSeconds(seconds: number): string {
  return `${seconds.toFixed(1).padStart(6)} s`
}

interface Failure {
  title: string
  errors: readonly SerializedError[]
}

function failuresIn(module: TestModule): Failure[] {
  const tests = [...module.children.allTests('failed')]
  return [
    ...failuresBesideTests(module).map(part => ({ title: titleOf(part), errors: part.errors() })),
    ...tests.map(test => ({ title: titleOf(test), errors: test.result().errors ?? [] })),
  ]
}

/** The file and those of its suites in which loading or a hook failed. */
function failuresBesideTests(module: TestModule): (TestModule | TestSuite)[] {
  return [module, ...module.children.allSuites()].filter(part => part.errors().length > 0)
}

function whySkipped(test: TestCase): string {
  const result = test.result()
  if (result.state === 'pending') return 'the run ended before it'
  const note = result.state === 'skipped' ? result.note : undefined
  for (let part = test.parent; note === undefined; part = part.parent) {
    if (part.errors().length > 0) return 'a hook before it failed'
    if (part.type === 'module') break
  }
  return note ?? 'no reason is given'
}

function titleOf(part: TestCase | TestModule | TestSuite): string {
  if (part.type === 'module') return part.relativeModuleId
  return `${part.module.relativeModuleId} > ${part.fullName}`
}

/** With its message, because the closing list has titles only. */
function titleOfUnhandled(error: SerializedError): string {
  const path = error['VITEST_TEST_PATH']
  const place = typeof path === 'string' ? ` in ${relative(process.cwd(), path)}` : ''
  return `An error outside of all tests${place}: ${error.message.split('\n')[0]}`
}

function describeCounts({ passed, failed, skipped }: Counts): string {
  const parts = [`${passed} passed`]
  if (failed > 0) parts.push(`${failed} FAILED`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  return parts.join(', ')
}
