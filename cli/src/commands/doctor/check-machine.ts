// Of the machine of an installation, where the operator names its folders: the room on the disk, and the last backup.
import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { examine, type Finding, failed, ok, warning } from './finding.ts'

const gigabyte = 1e9
const hourMs = 3_600_000
/** A day, and the time that a backup takes. */
const maxAgeHours = 26

export async function checkMachine(folders: {
  data: string | undefined
  backups: string | undefined
}): Promise<Finding[]> {
  const { data, backups } = folders
  return [
    ...(data === undefined ? [] : await examine('Disk', 'operations', async () => [checkDisk(data)])),
    ...(backups === undefined ? [] : await examine('Backups', 'operations', async () => [checkBackups(backups)])),
  ]
}

function checkDisk(folder: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(folder)
  const [free, share] = [bavail * bsize, bavail / blocks]
  const words = `${(free / gigabyte).toFixed(1)} GB of ${folder} are free, ${Math.floor(share * 100)} percent`
  if (free < gigabyte || share < 0.02) return failed('Disk', words, 'operations')
  return share < 0.1 ? warning('Disk', words, 'operations') : ok('Disk', words)
}

/** By the newest file, whatever wrote it. */
function checkBackups(folder: string): Finding {
  const files = readdirSync(folder).map(name => statSync(join(folder, name)))
  const times = files.filter(file => file.isFile() && file.size > 0).map(({ mtimeMs }) => mtimeMs)
  if (times.length === 0) return failed('Backups', `${folder} has no backup`, 'operations')
  const newest = times.reduce((latest, time) => Math.max(latest, time))
  const hours = Math.floor((Date.now() - newest) / hourMs)
  const words = `the newest of ${times.length} in ${folder} is ${hours} hours old`
  return hours > maxAgeHours ? warning('Backups', words, 'operations') : ok('Backups', words)
}
