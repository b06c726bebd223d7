// Where the product's own files are: beside the sources, and beside the bundle, whose code lies as deep as this file.
import { join } from 'node:path'

/** Holds the code, and what it reads of itself in the folders of the sources: scripts, weights, the seed. */
export const codeFolder = join(import.meta.dirname, '..')
/** Holds `server/`, `dashboard/`, `docs/`, `node_modules/` and package.json. */
export const productFolder = join(codeFolder, '../..')

/** `path` is relative to server/src. The build copies these files. */
export function ownFile(path: string): string {
  return join(codeFolder, path)
}
