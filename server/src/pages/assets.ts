// Holds the files that browsers may cache for a year, because their names contain a digest of their bytes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

interface Asset {
  contentType: string
  body: Buffer
}

export interface Assets {
  /** Returns the path under which the text is served. */
  add(name: string, text: string): string
  addFile(path: string): string
  find(path: string): Asset | null
}

export const assetsPath = '/assets/'

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

export function createAssets(): Assets {
  const assets = new Map<string, Asset>()
  const add = (name: string, text: string): string => {
    const extension = extname(name)
    const contentType = contentTypes[extension]
    if (contentType === undefined) throw new Error(`no content type is known for ${extension}`)
    const body = Buffer.from(text)
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 16)
    const path = `${assetsPath}${name.slice(0, -extension.length)}-${digest}${extension}`
    assets.set(path, { contentType, body })
    return path
  }
  return {
    add,
    addFile: path => add(path.split(/[\\/]/).at(-1) ?? '', readFileSync(path, 'utf8')),
    find: path => assets.get(path) ?? null,
  }
}
