// Downloads what the API exports. The browser writes the file while it arrives: it may be larger than a page may hold.
import { checkDownload } from './management.ts'

/**
 * An error would be stored as the file, and nobody would be asked to sign in again: it is looked for first. The file
 * has the name that the API gives it.
 */
export async function startDownload(address: string): Promise<void> {
  await checkDownload(address)
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
