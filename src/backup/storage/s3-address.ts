import type { S3Config } from '../../config/backup.js'

/**
 * Storages with known hosts, by the form of the host without a bucket. docs/backup.md lists them. Another storage's host
 * may happen to begin with the name of a bucket: `https://backups.example.com` and s3://backups.
 */
export const KNOWN_HOSTS: Readonly<Record<string, RegExp>> = {
  'Amazon S3': /^s3(?:[.-][a-z0-9.-]{1,60})?\.amazonaws\.com(?:\.cn)?$/,
  'Cloudflare R2': /^[0-9a-f]{32}(?:\.[a-z]{1,20})?\.r2\.cloudflarestorage\.com$/,
  'Backblaze B2': /^s3\.[a-z0-9-]{1,40}\.backblazeb2\.com$/,
  'DigitalOcean Spaces': /^[a-z0-9]{1,20}\.digitaloceanspaces\.com$/,
  'Google Cloud Storage': /^storage\.googleapis\.com$/,
  Wasabi: /^s3(?:\.[a-z0-9-]{1,40})?\.wasabisys\.com$/,
  Hetzner: /^[a-z0-9]{1,20}\.your-objectstorage\.com$/,
  Scaleway: /^s3\.[a-z0-9-]{1,40}\.scw\.cloud$/,
  OVHcloud: /^s3\.[a-z0-9-]{1,40}(?:\.io|\.perf)?\.cloud\.ovh\.(?:net|us)$/,
  Linode: /^[a-z0-9-]{1,40}\.linodeobjects\.com$/,
  Vultr: /^[a-z0-9]{1,20}\.vultrobjects\.com$/,
}

/** Returns the URL of the bucket. */
export function addressOf({ endpoint, pathStyle }: Pick<S3Config, 'endpoint' | 'pathStyle'>, bucket: string): string {
  const url = new URL(endpoint)
  const isInHost = url.hostname.startsWith(`${bucket}.`)
  if (pathStyle === 'on' || (pathStyle === 'auto' && !(isInHost && isKnown(url.hostname.slice(bucket.length + 1))))) {
    return `${endpoint}/${bucket}`
  }
  return isInHost ? endpoint : endpoint.replace('://', `://${bucket}.`)
}

const isKnown = (host: string): boolean => Object.values(KNOWN_HOSTS).some((pattern) => pattern.test(host))
