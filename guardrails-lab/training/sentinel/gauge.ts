// Reads a text with all readers, as the product reads a short one.

import { createCollector, type Readers, TextFindings } from '../../../server/src/guardrails/sentinel/judge-view.ts'
import type { Findings } from '../../../server/src/guardrails/sentinel/model/sum.ts'
import { scanText } from '../../../server/src/guardrails/sentinel/scan-text.ts'
import { sliceText } from '../../../server/src/guardrails/slices.ts'
import { createWorkBudget } from '../../../server/src/guardrails/work-budget.ts'

/** Of a text of several slices it gives the highest scores, and the phrases of the first. */
export function createGauge(readers: Readers): (text: string) => Findings {
  const findings = new TextFindings()
  const collect = createCollector(readers, findings)
  return text => {
    findings.clear()
    for (const { text: slice } of sliceText(text)) scanText(slice, createWorkBudget(Number.MAX_SAFE_INTEGER), collect)
    const { evidence, phrases, net, tokens, outside } = findings
    return { evidence: structuredClone(evidence), phrases, net, tokens, outside }
  }
}
