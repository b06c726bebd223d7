// Downloads what the API exports. The browser writes the file while it arrives: it may be larger than a page may hold.
import { request } from './management.ts'

/**
 * An expired session would end in a failed download, which says nothing: it is checked first. The file has the name
 * that the API gives it.
 */
export async function startDownload(path: string): Promise<void> {
  await request('GET', '/auth/v1/sessions/current')
  const link = document.createElement('a')
  link.href = path
  link.download = ''
  link.click()
}
