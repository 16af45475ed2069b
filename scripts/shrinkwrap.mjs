// The package carries the lock file as npm-shrinkwrap.json, so that who installs it gets the packages that were tested, also one that
// "overrides" pins; npm packs no package-lock.json. In the checkout it is there while npm packs, and no longer.
import { copyFileSync, rmSync } from 'node:fs'

const [, , step] = process.argv
const at = (name) => new URL(`../${name}`, import.meta.url)

if (step === 'write') copyFileSync(at('package-lock.json'), at('npm-shrinkwrap.json'))
else if (step === 'remove') rmSync(at('npm-shrinkwrap.json'), { force: true })
else throw new Error('shrinkwrap.mjs write | remove')
