// Holds the files that browsers may cache for a year, because their names contain a digest of their bytes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

interface Asset {
  contentType: string
  body: Buffer
}

export interface Assets {
  /** Returns the path under which the content is served. */
  add(name: string, content: string | Buffer): string
  addFile(path: string): string
  /** For a file whose name contains a digest already. */
  addNamed(name: string, body: Buffer): void
  find(path: string): Asset | null
}

export const assetsPath = '/assets/'

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
}

export function createAssets(): Assets {
  const assets = new Map<string, Asset>()
  const addNamed = (name: string, body: Buffer): string => {
    const contentType = contentTypes[extname(name)]
    if (contentType === undefined) throw new Error(`no content type is known for ${name}`)
    assets.set(assetsPath + name, { contentType, body })
    return assetsPath + name
  }
  const add = (name: string, content: string | Buffer): string => {
    const extension = extname(name)
    const body = Buffer.from(content)
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 16)
    return addNamed(`${name.slice(0, -extension.length)}-${digest}${extension}`, body)
  }
  return {
    add,
    addNamed,
    addFile: path => add(path.split(/[\\/]/).at(-1) ?? '', readFileSync(path)),
    find: path => assets.get(path) ?? null,
  }
}
