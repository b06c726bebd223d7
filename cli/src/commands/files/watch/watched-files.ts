// The files of a folder that is watched: one for each project, named after its slug or id.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../../frame/failure.ts'

export interface WatchedFile {
  path: string
  /** The slug or id. */
  project: string
}

const ending = /\.ya?ml$/

/** Mounted volumes have folders and links of their own, whose names begin with a dot. */
export function listWatchedFiles(folder: string): WatchedFile[] {
  const names = readdirSync(folder).filter(name => ending.test(name) && !name.startsWith('.'))
  const files = names.sort().map(name => ({ path: join(folder, name), project: name.replace(ending, '') }))
  const twice = files.find(({ project }, at) => files[at + 1]?.project === project)
  if (twice !== undefined) throw new Failure(`${folder} has two files of ${twice.project}`, 'Remove one of them.')
  return files
}
