// Each build has its own folder, `.dist-<stamp>-<id>`, and `dist` is a link to one of them, which rename(2) replaces
// atomically. A process runs in the folder that the link pointed to when it started, so it never sees half a build or
// files of two builds. The folders are beside `dist` because the code finds package.json, migrations/ and assets/
// relative to itself.
import {
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

const BUILD = '.dist-'
const DRAFT = '.dist-draft-'
const LINK = 'dist'
/** This many earlier builds stay, because processes that run in them may still load their files. */
const EARLIER_KEPT = 3
const ATTEMPTS = 3
const DRAFT_MAX_MS = 86_400_000

let names = 0
const newName = (prefix) => `${prefix}${process.pid}-${Date.now().toString(36)}-${++names}`

/**
 * Makes `dist` the build of the current sources. `stampOf` computes their stamp, and `make` builds them into an empty
 * folder. Returns false if nothing had to be built.
 */
export async function ensureBuild(root, { stampOf, make, force = false }) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stamp = stampOf()
    const ready = force ? undefined : findBuild(root, stamp)
    if (ready !== undefined) {
      if (ready !== currentBuild(root)) link(root, ready)
      return attempt > 0
    }
    removeLeftovers(root)
    const draft = newName(DRAFT)
    await mkdir(join(root, draft))
    try {
      await make(join(root, draft))
    } catch (error) {
      rmSync(join(root, draft), { recursive: true, force: true })
      throw error
    }
    if (stampOf() === stamp) {
      const name = newName(`${BUILD}${stamp}-`)
      renameSync(join(root, draft), join(root, name))
      link(root, name)
      removeEarlier(root, name)
      return true
    }
    // The sources changed during the build, so it may contain either version of them.
    rmSync(join(root, draft), { recursive: true, force: true })
  }
  throw new Error('The sources kept changing during the build. Save them, then run the command again.')
}

/** Returns the folder that `dist` links to. */
export function currentBuild(root) {
  const path = join(root, LINK)
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? basename(readlinkSync(path)) : undefined
}

/** Returns the build with this stamp, preferring the current one. */
function findBuild(root, stamp) {
  const isOfStamp = (name) => name?.startsWith(`${BUILD}${stamp}-`) && existsSync(join(root, name, 'main.js'))
  const current = currentBuild(root)
  return isOfStamp(current) ? current : readdirSync(root).find(isOfStamp)
}

/** Replaces `dist`, which may be a folder, with a link: npm packs a folder, and a test writes into one. */
function link(root, name) {
  const now = new Date()
  utimesSync(join(root, name), now, now)
  const path = join(root, LINK)
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) discard(root, LINK)
  const draft = join(root, newName(DRAFT))
  symlinkSync(name, draft)
  renameSync(draft, path)
}

function removeEarlier(root, current) {
  const changedAt = (name) => statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const earlier = readdirSync(root)
    .filter((name) => name.startsWith(BUILD) && !name.startsWith(DRAFT) && name !== current)
    .map((name) => ({ name, at: changedAt(name) }))
    .sort((a, b) => b.at - a.at)
  for (const { name } of earlier.slice(EARLIER_KEPT)) discard(root, name)
}

/** Removes a folder so that no process can find it half removed. */
function discard(root, name) {
  const draft = join(root, newName(DRAFT))
  try {
    renameSync(join(root, name), draft)
  } catch (error) {
    // Another build has removed it.
    if (error.code !== 'ENOENT') throw error
  }
  rmSync(draft, { recursive: true, force: true })
}

export function removeOwnDrafts(root) {
  for (const name of readdirSync(root)) {
    if (name.startsWith(`${DRAFT}${process.pid}-`)) rmSync(join(root, name), { recursive: true, force: true })
  }
}

/** Removes the drafts of killed builds. */
function removeLeftovers(root) {
  for (const name of readdirSync(root).filter((one) => one.startsWith(DRAFT))) {
    const pid = Number(/\d+/.exec(name)?.[0])
    const made = lstatSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
    // A draft with this pid is from an earlier process, because this one has none yet.
    if (pid === process.pid || !isRunning(pid) || Date.now() - made > DRAFT_MAX_MS) {
      try {
        rmSync(join(root, name), { recursive: true, force: true })
      } catch (error) {
        // A program of the killed build may still write into it, so a later build removes it.
        if (error.code !== 'ENOTEMPTY') throw error
      }
    }
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
