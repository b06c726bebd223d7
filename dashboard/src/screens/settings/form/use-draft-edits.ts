// What differs between the controls of the settings and the draft. A field that nobody edits here follows what others
// save; an edited one stays as it is.
import { useEffect, useRef, useState } from 'react'
import type { SettingsDraft } from '../../../api/draft.ts'
import type { FormValues } from '../../../ui/form.tsx'
import { toTexts } from '../field-values.ts'
import { areas, type SettingsField, valuesOf } from '../fields.ts'
import { writeControl } from '../json-control.tsx'

const edited = areas.flatMap(({ fields }) => fields)

export const textsOf = (draft: SettingsDraft): FormValues =>
  Object.assign({}, ...edited.map(field => toTexts(field, valuesOf(draft)[field])))

export function useDraftEdits(draft: SettingsDraft) {
  const box = useRef<HTMLDivElement>(null)
  const latest = textsOf(draft)
  /** What the fields that were not edited show. */
  const [base, setBase] = useState(latest)
  const [names, setNames] = useState<readonly SettingsField[]>([])
  const find = (texts: FormValues, from = base): SettingsField[] => edited.filter(field => texts[field] !== from[field])
  const changeNames = (next: readonly SettingsField[]): void =>
    setNames(shown => (shown.join() === next.join() ? shown : next))
  /** A control that was edited after `sent` keeps its text. */
  const show = (texts: FormValues, sent: FormValues): void => {
    for (const control of controlsIn(box.current)) {
      const text = texts[control.name]
      if (text !== undefined && control.value === sent[control.name] && control.value !== text)
        writeControl(control, text)
    }
    const next = { ...base, ...texts }
    setBase(next)
    changeNames(find(readTexts(box.current), next))
  }
  const changedElsewhere = edited.filter(field => latest[field] !== base[field])
  useEffect(() => {
    if (changedElsewhere.length === 0) return
    const shown = readTexts(box.current)
    const followed = changedElsewhere.filter(field => [base[field], latest[field]].includes(shown[field]))
    if (followed.length > 0) show(Object.fromEntries(followed.map(field => [field, latest[field] ?? ''])), base)
  })
  return {
    box,
    /** The fields that differ from the draft. */
    edited: names,
    changedElsewhere: changedElsewhere.filter(field => names.includes(field)),
    find,
    show,
    undo: () => show(latest, readTexts(box.current)),
    follow: () => changeNames(find(readTexts(box.current))),
  }
}

function controlsIn(box: HTMLDivElement | null): HTMLInputElement[] {
  return [...(box?.querySelectorAll<HTMLInputElement>('input, textarea, select') ?? [])]
}

function readTexts(box: HTMLDivElement | null): FormValues {
  return Object.fromEntries(controlsIn(box).map(({ name, value }) => [name, value]))
}
