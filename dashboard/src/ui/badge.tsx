// A state in one or two words. Its colour repeats what the words say.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  neutral: 'text-soft bg-raised',
  good: 'text-good bg-good-tint',
  warn: 'text-warn bg-warn-tint',
  danger: 'text-danger bg-danger-tint',
}

export function Badge({ tone = 'neutral', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <span className={classNames('inline-block rounded-full px-2 text-xs/5 font-medium whitespace-nowrap', tones[tone])}>
      {children}
    </span>
  )
}
