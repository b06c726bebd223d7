// Names the browser and the system of a session by its user agent, as people know them.

/** The first that matches: Edge and Opera also say Chrome, and Chrome also says Safari. */
const browsers: [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* .*Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\b(Linux|X11)\b/, 'Linux'],
]

/** What is no known browser, such as a script, is shown as it names itself. */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown'
  for (const [pattern, browser] of browsers) {
    const [, version] = pattern.exec(userAgent) ?? []
    if (version === undefined) continue
    const system = systems.find(([sign]) => sign.test(userAgent))?.[1]
    return system === undefined ? `${browser} ${version}` : `${browser} ${version} on ${system}`
  }
  return userAgent
}
