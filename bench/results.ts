// Writes a run's figures to bench/results, as JSON and as a page with tables.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { describeGoal, type Goal, renderGoals } from './report.ts'
import type { Target } from './target.ts'

export interface Results {
  name: string
  /** How the figures came about, in one sentence. */
  method: string
  /** Facts for the JSON, beside the machine and the versions. */
  facts: Record<string, unknown>
  targets: Target[]
  tables: string[]
  goals: Goal[]
  /** What could not be measured, or not as it should be. */
  notes: string[]
  foreignPercent: number
  /** The figures themselves. */
  data: Record<string, unknown>
}

export function writeResults(results: Results, say: (line: string) => void): void {
  const { name, targets, tables, goals, notes, data } = results
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`
  const about = {
    date: new Date().toISOString(),
    commit,
    machine,
    node: process.version,
    versions: versions(),
    ...results.facts,
    foreignPercent: Number(results.foreignPercent.toFixed(1)),
    loadAverage: loadavg()[0],
    notes,
  }
  const disturbance = `Others used ${about.foreignPercent} % of the cores meanwhile.`
  const day = about.date.slice(0, 10)
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${day}-${name}.json`), `${JSON.stringify({ about, goals, ...data }, null, 1)}\n`)
  const lines = [
    `# ${name}, ${day}, commit ${commit}`,
    `${machine}; Node ${process.version}; ${Object.entries(about.versions)
      .map(([program, version]) => `${program} ${version}`)
      .join('; ')}.`,
    `${results.method} ${disturbance}`,
    ...notes.map(note => `Not measured: ${note}.`),
    ...tables,
    ...(goals.length === 0 ? [] : [`\`\`\`\n${renderGoals(goals)}\n\`\`\``]),
    targets.map(target => `- **${target.name}**: ${target.about}.`).join('\n'),
  ]
  writeFileSync(join(folder, `${day}-${name}.md`), `${lines.join('\n\n')}\n`)
  say(`\n${disturbance} Written: bench/results/${day}-${name}.{json,md}`)
}

/** Fails the run if a binding goal is not met. */
export function enforceGoals(goals: readonly Goal[], say: (line: string) => void): void {
  const failed = goals.filter(({ isBinding, met }) => isBinding && !met)
  for (const goal of failed) say(`FAILED: ${describeGoal(goal)}`)
  if (failed.length > 0) process.exitCode = 1
}

function versions(): Record<string, string> {
  const first = (command: string, args: string[], pattern: RegExp): string | null => {
    try {
      const text = execFileSync('sh', ['-c', '"$0" "$@" 2>&1; true', command, ...args], { encoding: 'utf8' })
      return pattern.exec(text)?.[1] ?? null
    } catch {
      return null
    }
  }
  const undiciFile = join(import.meta.dirname, '../node_modules/undici/package.json')
  const found = {
    undici: (JSON.parse(readFileSync(undiciFile, 'utf8')) as { version: string }).version,
    wrk: first('wrk', ['-v'], /wrk (\S+)/),
    nginx: first('nginx', ['-v'], /nginx\/(\S+)/),
    HAProxy: first('haproxy', ['-v'], /version (\S+)/),
    Redis: first('redis-cli', ['--version'], /redis-cli (\S+)/),
  }
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== null))
}
