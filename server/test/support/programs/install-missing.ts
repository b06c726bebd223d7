// Installs the missing programs that the selected test files need, and reports each step before it runs.
import { resolve } from 'node:path'
import { findObstacle, installPackages, planInstall, updatePackageLists } from './install.ts'
import { filesThatNeed, type Need, needs } from './needs.ts'
import { findNpmProgram, installNpmProgram, type NpmProgram } from './npm-program.ts'

export interface MissingNeed {
  need: Need
  /** The test files that cannot run without it. */
  files: string[]
}

type Report = (line: string) => void

/** The test files whose path contains one of the filters; all files without filters, or if one is an option. */
export function selectFiles(testFiles: string[], filters: string[]): string[] {
  if (filters.length === 0 || filters.some(filter => filter.startsWith('-'))) return testFiles
  return testFiles.filter(file => filters.some(filter => resolve(file).includes(filter)))
}

/** Installs what is possible and returns what is still missing. Ignores needs that no selected file has. */
export function installMissing(testFiles: string[], report: Report, table: readonly Need[] = needs): MissingNeed[] {
  const missing = table
    .filter(lacks)
    .map(need => ({ need, files: filesThatNeed(need, testFiles) }))
    .filter(({ files }) => files.length > 0)
  if (missing.length === 0) return []
  report(`Not installed: ${missing.map(({ need }) => need.name).join(', ')}.`)
  for (const { need, files } of missing) {
    if (need.npmProgram) installFromNpm(need.name, need.npmProgram, files, report)
  }
  const installable = missing.filter(({ need }) => need.find() === null && need.packages.length > 0)
  if (installable.length > 0) installFromDebian(installable, report)
  return missing.filter(({ need }) => need.find() === null)
}

/** A program of another version does not stand in for a pinned one that can be installed. */
function lacks({ find, npmProgram }: Need): boolean {
  return find() === null || (npmProgram ? findNpmProgram(npmProgram) === null : false)
}

function installFromNpm(name: string, program: NpmProgram, files: string[], report: Report): void {
  const packages = program.packages.map(each => `${each.name} ${each.version}`).join(', ')
  report(`Installing ${name} for ${count(files.length, 'test file')} below node_modules, from npm: ${packages}`)
  try {
    installNpmProgram(program)
  } catch (error) {
    report(`Installing ${name} from npm failed: ${String(error)}`)
  }
}

function installFromDebian(installable: MissingNeed[], report: Report): void {
  const obstacle = findObstacle()
  if (obstacle === null) {
    updateLists(report)
    for (const entry of installable) install(entry, report)
  } else report(`No Debian package can be installed here: ${obstacle}.`)
}

function updateLists(report: Report): void {
  report("Fetching apt-get's lists of packages.")
  try {
    updatePackageLists()
  } catch (error) {
    report(`apt-get update failed, continuing with the lists that are there: ${String(error)}`)
  }
}

function install({ need, files }: MissingNeed, report: Report): void {
  const { added, obstacle } = planInstall(need.packages)
  const names = need.packages.join(', ')
  if (obstacle !== null) report(`Not installing ${need.name} (${names}): ${obstacle}.`)
  else if (added.length === 0) report(`${need.name} (${names}) is installed but does not work here.`)
  if (obstacle !== null || added.length === 0) return
  report(`Installing ${need.name} for ${count(files.length, 'test file')}: ${count(added.length, 'new package')}`)
  report(`  ${added.join(', ')}`)
  report('  Nothing is upgraded or removed, and no service is started.')
  try {
    installPackages(need.packages)
  } catch (error) {
    report(`Installing ${need.name} failed: ${String(error)}`)
  }
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
