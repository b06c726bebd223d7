// The matrix as the tables of docs/surfaces.md.

import { type Cell, type CellsOf, providers } from './cells.ts'

const providerNames = [
  'OpenAI',
  'Anthropic',
  'Google',
  'OpenRouter',
  'Mistral',
  'Cohere',
  'Custom',
  'Azure',
  'Bedrock',
  'Vertex',
]

/** `names` are the heads of the rows, in their order. */
export function tableOf<Name extends string>(cells: CellsOf<Name>, names: Record<Name, string>): string {
  const features = (Object.keys(names) as Name[]).filter(feature => !isLacking(cells, feature))
  const rows = features.map(feature => [
    names[feature],
    ...providers.map(provider => textOf(cells[feature]?.[provider])),
  ])
  return [['', ...providerNames], Array.from({ length: providerNames.length + 1 }, () => '---'), ...rows]
    .map(lineOf)
    .join('\n')
}

/** Whether the endpoint's own format does not have it. */
function isLacking<Name extends string>(cells: CellsOf<Name>, feature: Name): boolean {
  return providers.every(provider => {
    const cell = cells[feature]?.[provider]
    return cell !== undefined && 'lacks' in cell
  })
}

function lineOf(cells: readonly string[]): string {
  return `|${cells.map(cell => (cell === '---' ? cell : ` ${cell} `)).join('|')}|`.replaceAll('|  |', '| |')
}

function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return 'yes'
  if ('note' in cell) return cell.note
  return 'lacks' in cell ? cell.lacks : String(cell.status)
}

/** The messages of all refusals. */
export function messagesIn(cells: CellsOf<string>): string[] {
  const all = Object.values(cells).flatMap(row => Object.values(row ?? {}))
  return [...new Set(all.flatMap(cell => ('message' in cell ? [cell.message] : [])))]
}
