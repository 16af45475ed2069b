/**
 * `npx tsx test/intake-model/run.ts --stories 1000` plays random intake stories on two nodes, and compares the audience
 * with a simple model. `--seed N` repeats the same stories, and with it `--path P` only the one that failed. `--shrink`
 * searches for the shortest failing story, which takes minutes. `--seconds N` stops after that time. On PostgreSQL: `npx
 * tsx scripts/run-on-postgres.ts --program test/intake-model/run.ts --stories 1000`.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { play, startNodes } from './play.js'
import { story } from './stories.js'

const { values } = parseArgs({
  options: {
    stories: { type: 'string', default: '200' },
    seed: { type: 'string' },
    path: { type: 'string' },
    seconds: { type: 'string' },
    shrink: { type: 'boolean', default: false },
  },
})
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const nodes = await startNodes()
const startedAt = performance.now()
const counts = new Map<string, number>()
const result = await fc.check(
  fc.asyncProperty(story, async (given) => {
    for (const step of given.steps) counts.set(step.do, (counts.get(step.do) ?? 0) + 1)
    await play(nodes, given)
  }),
  {
    numRuns: Number(values.stories),
    seed,
    ...(values.seconds !== undefined && { interruptAfterTimeLimit: Number(values.seconds) * 1000 }),
    ...(values.path !== undefined && { path: values.path }),
    endOnFailure: !values.shrink,
  },
)
const seconds = Math.round((performance.now() - startedAt) / 1000)
say(
  `seed ${seed}: ${result.numRuns} stories in ${seconds} s; ${[...counts].map(([step, count]) => `${step} ${count}`).join(', ')}`,
)
if (result.failed) {
  const [{ before, steps }] = result.counterexample!
  for (const line of [before, ...steps]) say(JSON.stringify(line))
  const { actual, expected } = result.errorInstance as { actual?: unknown; expected?: unknown }
  say(String(result.errorInstance))
  if (expected !== undefined) say(`got  ${JSON.stringify(actual)}\nwant ${JSON.stringify(expected)}`)
  say(
    `repeat with: npx tsx test/intake-model/run.ts --stories ${values.stories} --seed ${seed} --path ${result.counterexamplePath}`,
  )
}
process.exit(result.failed ? 1 : 0)
