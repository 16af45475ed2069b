// The package differs from the checkout in two files, which change only while npm packs. npm-shrinkwrap.json is the part
// of the lock file with the package's dependencies, so that users install what was tested; npm does not pack
// package-lock.json. package.json omits the development dependencies: npm would install those of a shrinkwrap with the
// others, and `npm ci` refuses a shrinkwrap without them.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const [, , step] = process.argv
const at = (name) => new URL(`../${name}`, import.meta.url)
const read = (name) => JSON.parse(readFileSync(at(name), 'utf8'))
const write = (name, value) => writeFileSync(at(name), `${JSON.stringify(value, null, 2)}\n`)
/** The checkout's file is kept here while npm packs. */
const KEPT = 'package.json.kept'

function begin() {
  // An interrupted run leaves its files behind.
  end()
  const lock = read('package-lock.json')
  const { '': self, ...packages } = lock.packages
  const kept = Object.entries(packages).filter(([, { dev }]) => !dev)
  write('npm-shrinkwrap.json', { ...lock, packages: { '': withoutDevelopment(self), ...Object.fromEntries(kept) } })
  const own = read('package.json')
  renameSync(at('package.json'), at(KEPT))
  write('package.json', withoutDevelopment(own))
}

function end() {
  rmSync(at('npm-shrinkwrap.json'), { force: true })
  if (existsSync(at(KEPT))) renameSync(at(KEPT), at('package.json'))
}

const withoutDevelopment = ({ devDependencies: _, ...rest }) => rest

if (step === 'begin') begin()
else if (step === 'end') end()
else throw new Error('packing.mjs begin | end')
