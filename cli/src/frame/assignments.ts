// Fields that are given as `name=value`: JSON where it is JSON, else text; `name=@FILE` reads the value from a file.
import { readFileSync } from 'node:fs'
import { Failure } from './failure.ts'

const example = 'Write fields as name=value, such as rpm_limit=120 or system_prompt=@prompt.txt.'

export function readAssignments(args: readonly string[]): Record<string, unknown> {
  if (args.length === 0) throw new Failure('No field was given', example)
  return Object.fromEntries(
    args.map(text => {
      const equals = text.indexOf('=')
      if (equals < 1) throw new Failure(`${text} is no field with a value`, example)
      return [text.slice(0, equals), readValue(text.slice(equals + 1))]
    }),
  )
}

/** Reports names that the server would not know: it ignores them. */
export function refuseUnknown(given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const near = known.filter(one => one.includes(name) || name.includes(one)).slice(0, 3)
    const hint = near.length === 0 ? '' : ` Similar: ${near.join(', ')}.`
    throw new Failure(`There is no setting ${name}`, `\`sallyport settings get\` lists them.${hint}`)
  }
}

function readValue(text: string): unknown {
  const value = text.startsWith('@') ? readFileSync(text.slice(1), 'utf8').replace(/\n$/, '') : text
  try {
    return JSON.parse(value)
  } catch {
    // Most texts need no quotes then.
    return value
  }
}
