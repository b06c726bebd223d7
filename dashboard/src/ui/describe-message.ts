// An API's message about a field in the words of the form: with the field's label in place of its name, and a range as
// people write it.
import { formatCount } from './numbers.ts'

/** `Requests per minute must be between 1 and 10,000` of `rpm_limit must be an integer 1-10000`. */
export function describeMessage(message: string, path: string, label: string): string {
  const name = label.replace(/\s*\([^)]*\)$/, '')
  return `${name}${describeRule(message.slice(path.length))}`
}

function describeRule(rule: string): string {
  return rule
    .replace(/^ must be an integer (\d+)-(\d+)/, (_, least: string, most: string) => {
      return ` must be between ${formatCount(Number(least))} and ${formatCount(Number(most))}`
    })
    .replace(/^ must be dollars from ([\d.]+) to (\d+)/, (_, least: string, most: string) => {
      return ` must be between $${least} and $${formatCount(Number(most))}`
    })
}
