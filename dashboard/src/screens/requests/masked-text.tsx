// A text as the provider got it: each token that stands for a masked value is marked, and says what it stands for.
import type { ReactNode } from 'react'
import { nameOfEntity } from '../guardrails/names.ts'

/** As the masking writes it: the type, and the digits by which values differ. */
const token = /<([A-Z][A-Z0-9_]{2,31})_[0-9a-f]{12}>/g

export function MaskedText({ text }: { text: string }) {
  const parts: ReactNode[] = []
  let from = 0
  for (const { index, 0: written, 1: type = '' } of text.matchAll(token)) {
    parts.push(text.slice(from, index), <Token key={index} written={written} type={type} />)
    from = index + written.length
  }
  return [...parts, text.slice(from)]
}

function Token({ written, type }: { written: string; type: string }) {
  return (
    <mark className="rounded border border-line bg-page box-decoration-clone px-1 text-ink">
      <bdi>{written}</bdi>
      <small className="ml-2 text-soft">{nameOfEntity(type)}, masked</small>
    </mark>
  )
}
