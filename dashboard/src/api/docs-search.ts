// The search index of the documentation, which its pages name.
import { queryOptions } from '@tanstack/react-query'

export interface DocsSection {
  url: string
  page: string
  title: string
}

export const docsSectionsQuery = queryOptions({
  queryKey: ['docs-sections'],
  queryFn: async (): Promise<DocsSection[]> => {
    const page = new DOMParser().parseFromString(await read('/docs'), 'text/html')
    const index = page.querySelector('[data-index]')?.getAttribute('data-index')
    return index ? JSON.parse(await read(index)) : []
  },
  // It changes with a restart only.
  staleTime: Number.POSITIVE_INFINITY,
})

async function read(path: string): Promise<string> {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
  return await response.text()
}
