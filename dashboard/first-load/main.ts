// Measures the first load of every screen on a slow phone, and writes the figures to bench/results
// (`npm run dashboard:first-load`). Needs Chromium and a machine that does nothing else.
import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from '../../server/test/support/programs/browsers.ts'
import { owner, startInstallation } from '../screenshots/installation.ts'
import { seed } from '../screenshots/seed.ts'
import { seedRest } from '../screenshots/seed-rest.ts'
import { collectAddresses } from './addresses.ts'
import { type Load, measureLoads, type Network, networks } from './measure-loads.ts'

/** Enough for every screen to have something to show. */
const size = { days: [8, 9, 7, 11, 5, 4, 9], minutes: [3, 5, 4, 9, 2, 4] }
const folder = join(import.meta.dirname, '../../bench/results')

/** On a slow network. */
const fewScreens = [
  '/app/projects/$projectId/',
  '/app/projects/$projectId/requests',
  '/app/projects/$projectId/settings',
  '/app/tenants/$tenantId/',
  '/app/account',
]

const titles = { loopback: 'Without a slower network', 'Fast 4G': 'Fast 4G', 'Slow 4G': 'Slow 4G' }

function tableOf(network: Network, loads: readonly Load[]): string {
  const rows = loads.map(
    ({ route, kilobytes, files, firstPaintMs, interactiveMs, againMs, shift }) =>
      `| ${route} | ${kilobytes} | ${files} | ${firstPaintMs} | ${interactiveMs} | ${againMs} | ${shift} |`,
  )
  return [
    `## ${titles[network]}`,
    '',
    '| Screen | KB | Responses | First paint, ms | Interactive, ms | Interactive from the cache, ms | Layout shift |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n')
}

const head = (date: string, load: string) => `# First load of the dashboard, ${date}

Written by \`npm run dashboard:first-load\`. Chromium at 390 × 844 whose processor is four times
slower, over HTTP/1.1 without TLS. KB and responses are what crossed the network until all of the
screen was read. A screen is interactive when all of it is read and shown and no task occupies the
page. From the cache: the same address again, with the files that browsers keep. The load of the
machine, which has ${availableParallelism()} cores, was ${load}.

`

const installation = await startInstallation()
try {
  const ids = await seedRest(installation, await seed(installation, size))
  const browser = await openBrowser('chromium')
  try {
    const { page } = await browser.openPage(`${installation.origin}/llms.txt`)
    const addresses = await collectAddresses(page, installation.origin, owner, ids)
    const tables: string[] = []
    for (const network of networks) {
      const wanted = addresses.filter(({ route }) => network === 'loopback' || fewScreens.includes(route))
      tables.push(tableOf(network, await measureLoads(page, network, wanted)))
    }
    const date = new Date().toISOString().slice(0, 10)
    const file = join(folder, `${date}-dashboard.md`)
    writeFileSync(file, `${head(date, loadavg()[0]?.toFixed(1) ?? '')}${tables.join('\n\n')}\n`)
    console.log(file)
  } finally {
    await browser.close()
  }
} finally {
  await installation.stop()
}
