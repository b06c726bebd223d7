// Reads the built dashboard: its page, the files that the page loads, whose names contain a digest already, and the SDK
// as one module.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Assets } from './assets.ts'

interface Dashboard {
  page: string
  sdk: Buffer
}

/** Adds the files of the page to the assets. */
export function readDashboard(folder: string, assets: Assets): Dashboard {
  const assetsFolder = join(folder, 'assets')
  for (const name of readdirSync(assetsFolder)) assets.addNamed(name, readFileSync(join(assetsFolder, name)))
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), sdk: readFileSync(join(folder, 'sdk.js')) }
}
