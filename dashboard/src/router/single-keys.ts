// Keys of a single letter. They can be switched off: speech and slips of the hand can press them.

const switchKey = 'single-keys'

export const areSingleKeysOn = (): boolean => localStorage.getItem(switchKey) !== 'off'

export function switchSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(switchKey)
  else localStorage.setItem(switchKey, 'off')
}

/** Whether a pressed key is meant as a shortcut. */
export function isSingleKey({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && !isTyping(target) && areSingleKeysOn()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null
