// What a command declares, and what it returns. Help, parsing and output derive from it.
import type { Context } from './context.ts'

export interface Command {
  /** As it is typed, such as `settings get`. */
  name: string
  summary: string
  /** A whole command line that works. Help shows it first. */
  example: string
  /** As commander writes them: `<needed>`, `[optional]`, `[many...]`, each with its meaning. */
  args?: readonly (readonly [form: string, meaning: string])[]
  /** Such as `--limit <count>`. */
  options?: readonly (readonly [flags: string, meaning: string])[]
  run(input: CommandInput, context: Context): Promise<Result>
}

export interface CommandInput {
  /** Of an argument that may be given many times, all values follow one another. */
  args: readonly string[]
  /** By their names in camel case. */
  options: Readonly<Record<string, string | boolean | undefined>>
}

/** One value for `--json` and for people; or lines that come as they happen. */
export type Result = Shown | { lines: AsyncIterable<Shown> }

export interface Shown {
  json: unknown
  text: string
  /** Done, unless it is given. */
  ending?: 'differs' | 'failed'
}

export const exitCodes = { done: 0, failed: 1, differs: 2 } as const

export function textOption({ options }: CommandInput, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}
