// Reads the arguments of a command: options with a value as `--name value` or `--name=value`, options without one, and
// words.
import { StartupProblem } from '../domain/startup-problem.ts'

interface Known {
  flags: readonly string[]
  values: readonly string[]
  maxWords: number
}

export interface Arguments {
  flags: ReadonlySet<string>
  values: ReadonlyMap<string, string>
  words: readonly string[]
}

/** Throws a StartupProblem that names the options that are known. */
export function readArguments(args: readonly string[], known: Known): Arguments {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const words: string[] = []
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ''
    const [name = '', value] = splitOnce(argument)
    if (known.flags.includes(argument)) flags.add(argument)
    else if (known.values.includes(name)) values.set(name, value ?? args[++index] ?? failWithout(name))
    else if (!argument.startsWith('-') && words.length < known.maxWords) words.push(argument)
    else throw new StartupProblem(`Unknown argument ${argument}: only ${listNames(known)} are known.`)
  }
  return { flags, values, words }
}

function splitOnce(argument: string): [string, string?] {
  const equals = argument.indexOf('=')
  return equals === -1 ? [argument] : [argument.slice(0, equals), argument.slice(equals + 1)]
}

function failWithout(name: string): never {
  throw new StartupProblem(`${name} needs a value, such as ${name} 8080.`)
}

function listNames({ flags, values }: Known): string {
  const names = [...values, ...flags]
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
