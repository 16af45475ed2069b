import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig, SETTINGS } from '../src/config/index.js'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

interface Service {
  environment?: Record<string, string> | string[]
  volumes?: string[]
  read_only?: boolean
  stop_grace_period?: string
}

/** Returns the services of a compose file except the database, with their variables as written. */
function servicesOf(path: string) {
  const { services, volumes } = parse(read(path), { merge: true }) as {
    services: Record<string, Service>
    volumes: Record<string, unknown>
  }
  return Object.entries(services)
    .filter(([name]) => name !== 'postgres')
    .map(([name, service]) => {
      const { environment = {} } = service
      const lines = Array.isArray(environment) ? environment.map((line) => line.split(/=(.*)/s)) : []
      const variables = Array.isArray(environment) ? Object.fromEntries(lines) : environment
      return { name, service, volumes, variables: variables as Record<string, string | undefined> }
    })
}

test.each(['compose.yaml', 'deploy/coolify.yaml'])('%s sets only settings', (path) => {
  const services = servicesOf(path)
  expect(services.length).toBeGreaterThan(0)
  for (const { name, variables } of services) {
    const names = Object.keys(variables).filter((each) => !each.startsWith('SERVICE_'))
    expect(names.length, name).toBeGreaterThan(3)
    expect(
      names.filter((each) => !(each in SETTINGS)),
      name,
    ).toEqual([])
  }
})

test('the systemd unit sets only settings', () => {
  const lines = [...read('deploy/greenroom.service').matchAll(/^Environment=(.*)$/gm)].map(([, line]) => line!)
  const names = lines.flatMap((line) => line.split(' ').map((each) => each.split('=')[0]!))
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !(name in SETTINGS) && !name.startsWith('NODE_'))).toEqual([])
})

test('the template for Coolify, once filled in, is a valid configuration', () => {
  const [{ service, volumes, variables }, ...others] = servicesOf('deploy/coolify.yaml') as [
    ReturnType<typeof servicesOf>[number],
  ]
  expect(others).toEqual([])
  // Coolify's variables: a URL for the name of a service, and random letters and digits.
  const filled: Record<string, string> = { SERVICE_URL_GREENROOM: 'https://greenroom-abc.example.com' }
  const fill = (text: string): string =>
    text.replaceAll(/\$\{(\w{1,60})(?::-([^}]{0,200}))?\}/g, (_, name, fallback = '') => {
      const isPassword = /^SERVICE_PASSWORD_64_[A-Z]{1,20}$/.test(name)
      expect(isPassword || name in filled || fallback !== '', name).toBe(true)
      return isPassword ? 'aB3'.padEnd(64, 'x') : (filled[name] ?? fallback)
    })
  const given = Object.entries(variables).filter(([name]) => !name.startsWith('SERVICE_'))
  const image = { DATA_DIR: '/data/greenroom', MEDIA_DIR: '/data/media', BACKUP_DIR: '/backups', PORT: '8080' }
  const config = readConfig({ ...image, ...Object.fromEntries(given.map(([name, text]) => [name, fill(text!)])) })
  expect(config.misspelt).toEqual([])
  expect(Object.keys(variables)).toContain(`SERVICE_URL_GREENROOM_${config.http.port}`)
  expect(config.http.publicUrl).toBe('https://greenroom-abc.example.com')
  // The root is read-only: each directory is on a volume.
  expect(service.read_only).toBe(true)
  const mounts = service.volumes!.map((each) => each.split(':') as [string, string])
  expect(mounts.map(([name]) => name)).toEqual(Object.keys(volumes))
  for (const path of [config.database.dataDir, config.media!.dir, config.backup!.dir!]) {
    expect(
      mounts.some(([, at]) => `${path}/`.startsWith(`${at}/`)),
      path,
    ).toBe(true)
  }
})
