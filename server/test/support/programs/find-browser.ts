// Finds the browsers that tests drive.
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { findBinary } from './find-binary.ts'

export type BrowserName = 'chromium' | 'firefox'

const programs: Record<BrowserName, readonly string[]> = {
  chromium: ['chromium', 'google-chrome-stable', 'google-chrome'],
  firefox: ['firefox-esr', 'firefox'],
}
const macPrograms: Record<BrowserName, readonly string[]> = {
  chromium: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  firefox: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
}

/** Skips browsers that are snaps: they cannot read a profile in a temporary folder. */
export function findBrowser(name: BrowserName): string | null {
  for (const program of programs[name]) {
    const path = findBinary(program)
    if (path !== null && basename(path) !== 'snap') return path
  }
  return macPrograms[name].find(path => existsSync(path)) ?? null
}
