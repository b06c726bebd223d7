// Finds the test files that a run skips on this machine: those that use a server or program that is not installed.
// Must not install anything: the test command does that before.
import { join } from 'node:path'
import { findTestFiles } from '../runner/speeds.ts'
import { filesThatNeed, type Need, needs } from './needs.ts'

const checkout = join(import.meta.dirname, '../../../..')

/** The paths are relative to the checkout. */
export function findLeftOut(): { need: Need; files: string[] }[] {
  const missing = needs.filter(need => need.find() === null)
  if (missing.length === 0) return []
  const files = findTestFiles()
  return missing.map(need => ({
    need,
    files: files.filter(file => filesThatNeed(need, [join(checkout, file)]).length > 0),
  }))
}
