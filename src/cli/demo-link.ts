import type { Command } from 'commander'
import { ConnectionError } from '../client/index.js'
import { readClientSettings } from '../config/client.js'
import { api } from './client.js'
import { findDemoFile } from './demo-file.js'
import { type Cli, CliError, example } from './io.js'
import { printLink } from './link.js'

export function addDemoLink(program: Command, cli: Cli): void {
  program
    .command('demo-link')
    .description('print a new link to sign in to the console of a running demo; it works once, within 15 minutes')
    .addHelpText('after', example('greenroom demo-link'))
    .action(async () => {
      const { dataDir } = readClientSettings(cli.env)
      const personId = findDemoFile(dataDir)?.personId
      if (personId === undefined) {
        throw new CliError(2, `There is no demo in ${dataDir}: start it with greenroom demo, or npm run demo.`)
      }
      // The command opens the demo, so other profiles and servers are ignored.
      const demo: Cli = { ...cli, env: { ...cli.env, ...NO_SERVER, DATA_DIR: dataDir }, profile: () => undefined }
      const link = await api(demo)
        .call('createSignInLink', { personId })
        .catch((error) => {
          if (!(error instanceof ConnectionError)) throw error
          throw new CliError(3, `The demo in ${dataDir} is not running: start it with greenroom demo, or npm run demo.`)
        })
      printLink(demo, link)
    })
}

const NO_SERVER = {
  GREENROOM_URL: undefined,
  GREENROOM_OPERATOR_TOKEN: undefined,
  GREENROOM_KEY: undefined,
  GREENROOM_SECRET: undefined,
  GREENROOM_PROFILE: undefined,
  GREENROOM_PROFILES_FILE: undefined,
  HOME: undefined,
  USERPROFILE: undefined,
  XDG_CONFIG_HOME: undefined,
}
