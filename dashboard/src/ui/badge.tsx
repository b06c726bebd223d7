// A state in one or two words. Its colour repeats what the words say.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  neutral: 'text-soft border-control',
  good: 'text-good border-good',
  warn: 'text-warn border-warn',
  danger: 'text-danger border-danger',
}

export function Badge({ tone = 'neutral', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <span className={classNames('inline-block rounded-full border px-2 text-sm whitespace-nowrap', tones[tone])}>
      {children}
    </span>
  )
}
