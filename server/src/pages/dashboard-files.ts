// Reads the built dashboard: its page, and the files that the page loads, whose names contain a digest already.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Assets } from './assets.ts'

/** Adds the files to the assets, and returns the page. */
export function readDashboard(folder: string, assets: Assets): string {
  const assetsFolder = join(folder, 'assets')
  for (const name of readdirSync(assetsFolder)) assets.addNamed(name, readFileSync(join(assetsFolder, name)))
  return readFileSync(join(folder, 'index.html'), 'utf8')
}
