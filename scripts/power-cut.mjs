/**
 * Cuts the power, as nearly as a machine can do it to itself. The embedded database is on an ext4 file system in a file,
 * which is shut down in the middle of writing, so that everything not synced is lost. Then it is mounted again, and every
 * acknowledged row must exist. This is not part of the test run: it needs root, Linux, mkfs.ext4 and python3.
 *
 * node scripts/power-cut.mjs [cuts of each kind, default 10] [writing program, default test/programs/write-rows.ts]
 *
 * test/programs/write-deliveries.ts stores and applies deliveries of intake.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const beside = (path) => fileURLToPath(new URL(path, import.meta.url))
const cuts = Number(process.argv[2] ?? 10)
const program = process.argv[3] ? resolve(process.argv[3]) : beside('../test/programs/write-rows.ts')
const directory = mkdtempSync(join(tmpdir(), 'greenroom-power-cut-'))
const image = join(directory, 'image')
const mounted = join(directory, 'mounted')
let isMounted = false
let writer

const run = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
const mount = () => {
  run('mount', '-o', 'loop', image, mounted)
  isMounted = true
}
const unmount = () => {
  if (isMounted) run('umount', mounted)
  isMounted = false
}
const format = () => {
  unmount()
  rmSync(image, { force: true })
  run('truncate', '-s', '1G', image)
  run('mkfs.ext4', '-q', image)
  mount()
}
// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: from here nothing reaches the disk.
const CUT =
  'import fcntl,os,struct,sys; fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))'

/** Writes until `cutAt`, cuts, and returns what the start found and the last acknowledged id. */
async function writeUntilCut(cutAt) {
  writer = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, join(mounted, 'data')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(writer, 'close')
  let isCut = false
  const cut = () => {
    if (isCut) return
    isCut = true
    run('python3', '-c', CUT, mounted)
  }
  const timer = cutAt.ms === undefined ? undefined : setTimeout(cut, cutAt.ms)
  let found
  let acknowledged = 0
  let writes = 0
  try {
    for await (const line of createInterface({ input: writer.stdout })) {
      if (line.startsWith('found')) {
        const [rows, highest] = line.split(' ').slice(1).map(Number)
        found = { rows, highest }
        acknowledged = highest
      } else {
        acknowledged = Number(line)
        writes++
      }
      if (writes >= cutAt.writes) {
        cut()
        writer.kill('SIGKILL')
      }
    }
    await ended
  } finally {
    clearTimeout(timer)
    writer.kill('SIGKILL')
    await ended
  }
  cut()
  unmount()
  mount()
  return { found, acknowledged }
}

/** Checks what the start after a cut finds, and then cuts the power during a start. */
async function report(kind, cutAt, isYoung) {
  let acknowledgements = 0
  let lost = 0
  let unopened = 0
  if (!isYoung) format()
  for (let round = 0; round < cuts; round++) {
    if (isYoung) format()
    const { found: before, acknowledged } = await writeUntilCut(cutAt())
    const { found: after } = await writeUntilCut({ writes: 0 })
    acknowledgements += acknowledged - (before?.highest ?? 0)
    if (after === undefined) unopened++
    else lost += Math.max(0, acknowledged - after.rows)
  }
  process.stdout.write(
    `${kind}: ${cuts} cuts, ${acknowledgements} acknowledged, ${lost} lost, ${unopened} did not open again\n`,
  )
  return lost + unopened
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    writer?.kill('SIGKILL')
    if (isMounted) run('umount', '--lazy', mounted)
    rmSync(directory, { recursive: true, force: true })
    process.exit(130)
  })
}

mkdirSync(mounted)
let failures = 0
try {
  const random = (max) => Math.floor(Math.random() * max)
  failures += await report('while writing', () => ({ writes: 1 + random(2_000) }), false)
  failures += await report('soon after the first start', () => ({ writes: random(30) }), true)
  failures += await report('during the first start', () => ({ ms: 500 + random(5_000), writes: 200 }), true)
} finally {
  unmount()
  rmSync(directory, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1
