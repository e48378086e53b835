/** What `npm run ship` made: archive, Debian package and image hold the same, are made again byte for byte, and work where they land. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { quoted } from '../../src/core/text.ts'
import { buildah } from '../../tools/ship/image.ts'
import { run } from '../../tools/ship/run.ts'
import { debianArch, node } from '../../tools/ship/targets.ts'
import { newFolder } from '../fakes/folder.ts'
import { isRunning, works } from '../fakes/process.ts'
import { dataDir, spawnGateway } from '../fakes/process-gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = join(root, '.ship')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const archive = (of: string) => join(out, `headgate-${version}-linux-${of}.tar.gz`)
const deb = join(out, `headgate_${version}_${debianArch[arch]}.deb`)
const imageFile = join(out, `headgate-${version}-image-${arch}.tar`)

const missing = (file: string) => !existsSync(file) && 'npm run ship has not made it'
const noMount = !works('unshare', '--mount', 'true') && 'needs the right to mount'

const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const inArchive = (of: string, path: string) =>
  execFileSync('tar', ['-xOzf', archive(of), `headgate-${version}-linux-${of}/lib/headgate/${path}`], { maxBuffer: 256 * 1024 * 1024 })

/** Posts an event to a gateway, waits for the reply of its run in the log, and stops the gateway. */
const worksAndStops = async (t: Test, gateway: ReturnType<typeof spawnGateway>): Promise<void> => {
  t.match(await gateway.post('hello', 'first', { body: '{"name":"Ada"}' }), { status: 202, json: { status: 'accepted' } })
  await gateway.line(({ text }) => text === 'Hi Ada')
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' })
}

/** The first bytes of an ELF file, and its field e_machine (System V ABI). */
const elf = 0x7f454c46
const machines = { x64: 62, arm64: 183 }

const hello = { routes: { hello: { prompt: 'Hi {name}', deliver: 'log' } } }

t.test(
  'archives: each has the binaries of its processor, one binding, and a bill of materials that says so',
  { skip: missing(archive('arm64')) },
  (t) => {
    for (const of of ['x64', 'arm64'] as const) {
      const bom = JSON.parse(inArchive(of, 'dist/sbom.cdx.json').toString())
      const names = bom.components.map(({ group, name }: { group?: string; name: string }) => [group, name].filter(Boolean).join('/'))
      t.same(names.filter((name: string) => /^@libsql\/|^node$/.test(name)).sort(), [`@libsql/linux-${of}-gnu`, 'node'])
      t.ok(bom.components.some(({ cpe }: { cpe?: string }) => cpe?.startsWith(`cpe:2.3:a:nodejs:node.js:${node.version}:`)))
      for (const path of ['node/bin/node', `node_modules/@libsql/linux-${of}-gnu/index.node`]) {
        t.equal(inArchive(of, path).readUInt16LE(18), machines[of], `${of}: ${path}`)
      }
    }
    t.end()
  },
)

t.test('the archive runs from any folder, by a link, without another Node', { skip: missing(archive(arch)) }, async (t) => {
  const dir = dataDir(t, hello)
  const folder = join(dir, 'un packed')
  mkdirSync(folder)
  run(['tar', '-xzf', archive(arch), '-C', folder, '--strip-components=1'])
  const program = join(folder, 'lib/headgate/dist/main.js')
  symlinkSync('bin/headgate', join(folder, 'linked'))
  t.equal(run(['env', '-i', 'PATH=/usr/bin:/bin', join(folder, 'linked'), '--version']), `${version}\n`)
  const before = `shift 2; set -- '${folder}/bin/headgate' "$@"`
  await worksAndStops(t, spawnGateway(t, dir, { before, program }))
})

t.test('archive and Debian package are made again byte for byte', { skip: missing(archive(arch)) || missing(deb) }, (t) => {
  const again = newFolder(t)
  const env = { ...process.env, TZ: 'Pacific/Kiritimati', LANG: 'tr_TR' }
  run(['sh', '-c', 'umask 077; exec npm run -s ship -- tarball deb --arch "$0" --out "$1"', arch, again], { cwd: root, env })
  for (const file of [archive(arch), deb]) t.equal(digest(join(again, file.slice(out.length))), digest(file), file)
  t.end()
})

t.test('the Debian package installs, and its removal keeps the data', { skip: missing(deb) || noMount }, (t) => {
  // Everything is written into a layer above this machine's file system, which ends with the mount namespace.
  const script = `
    mount -t tmpfs tmpfs "$0" && cd "$0" && mkdir upper work root
    mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
    mount -t proc proc root/proc && mount --rbind /dev root/dev && cp "$1" root/tmp/headgate.deb
    exec chroot root sh -ec '
      dpkg --install /tmp/headgate.deb
      stat -c "%U:%G %a" /var/lib/headgate
      systemd-analyze verify headgate.service headgate.socket
      systemd-analyze security --offline=true --threshold=15 headgate.service | tail -1
      cd / && touch /var/lib/headgate/event && setpriv --reuid headgate --regid headgate --clear-groups headgate --version
      dpkg --purge headgate
      ls /var/lib/headgate; ls /usr/lib/headgate 2>&1 || true'`
  const said = run(['unshare', '--mount', '--pid', '--fork', 'sh', '-ec', script, newFolder(t), deb])
  t.match(said, /headgate is installed and not set up yet/)
  t.match(said, /^headgate:headgate 700$/m)
  t.match(said, new RegExp(`^${version.replaceAll('.', '\\.')}$`, 'm'))
  t.match(said, /headgate: \/var\/lib\/headgate is kept[\s\S]*\nevent\n.*No such file or directory/)
  t.match(run(['dpkg-deb', '--contents', deb]), /^-rwxr-xr-x root\/root .* \.\/usr\/lib\/headgate\/dist\/main\.js$/m)
  t.end()
})

/** The user, the environment and the command line of an image, as buildah tells them. */
type ImageConfig = {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
}

/**
 * Returns the shell line with which a container begins: namespaces of its own, the root of the image as it cannot be written, a volume at
 * `/data`, a small `/tmp`, and the image's entrypoint as process 1.
 */
const containerLine = (mounted: string, volume: string, user: string, { Env, Entrypoint, Cmd }: ImageConfig): string => {
  const script = `
    ip link set lo up
    mount --bind "$0" "$0" && cd "$0"
    mount --bind "$1" data && mount -t tmpfs tmpfs tmp && mount -t proc proc proc && mount --rbind /dev dev
    mount -o remount,ro,bind "$0"
    user=$2 && shift 2 && exec chroot --userspec="$user" . "$@"`
  const argv = ['sh', '-ec', script, mounted, volume, user, ...Entrypoint, ...Cmd]
  return `set -- env -i ${[...Env, 'unshare', '--mount', '--pid', '--net', '--fork', '--kill-child', ...argv].map(quoted).join(' ')}`
}

/** Mounts the root of an image for the length of a test. */
const mountedImage = (
  t: Test,
  image: string,
  options: readonly string[] = [],
): { readonly mounted: string; readonly config: ImageConfig } => {
  const name = run([...buildah(out), 'from', ...options, image]).trim()
  t.teardown(() => void run([...buildah(out), 'rm', name]))
  const mounted = run([...buildah(out), 'mount', name]).trim()
  return { mounted, config: JSON.parse(run([...buildah(out), 'inspect', name])).Docker.config }
}

/** Starts a container, and returns the gateway in it, and what `docker exec` does: it runs a program beside process 1. */
const startContainer = async (t: Test, { mounted, config }: ReturnType<typeof mountedImage>, dir: string, user: number) => {
  const gateway = spawnGateway(t, dir, { before: containerLine(mounted, dir, `${user}:${user}`, config) })
  t.match(await gateway.listening, /^http:\/\/0\.0\.0\.0:\d+$/)
  const [first = ''] = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, 'utf8').split(' ')
  // A program that changes its user is not told of its parent's end, so --kill-child does not reach it where a check fails.
  t.teardown(() => isRunning(Number(first)) && process.kill(Number(first), 'SIGKILL'))
  const inside = ['--target', first, '--mount', '--pid', '--net', '--root', '--wd', '--setgid', `${user}`, '--setuid', `${user}`]
  return {
    gateway,
    execute: (...argv: string[]) => run(['env', '-i', ...config.Env, 'nsenter', ...inside, ...argv]),
    async stop(): Promise<void> {
      process.kill(Number(first), 'SIGTERM')
      t.match(await gateway.ended, { code: 0, err: '' })
    },
  }
}

const noContainer = noMount || (!works('ip', '-V') && 'needs ip')
t.test(
  'the image runs as any user over a root that cannot be written, and says what is wrong with its volume',
  { skip: missing(imageFile) || noContainer },
  async (t) => {
    t.ok(statSync(imageFile).size < 60_000_000, `${statSync(imageFile).size} bytes`)
    const image = mountedImage(t, `headgate:${version}`)
    const { mounted, config } = image
    t.match(config, { User: '10001:10001', WorkingDir: '/data', Volumes: { '/data': {} }, ExposedPorts: { '8644/tcp': {} } })
    t.notOk(existsSync(join(mounted, 'bin/sh')) || existsSync(join(mounted, 'usr/bin/sh')), 'no shell')
    t.equal(statSync(join(mounted, 'data')).mode & 0o7777, 0o1777, 'a new volume is open to any user')

    const dir = dataDir(t, hello)
    const closed = '/data belongs to user 0 and group 0 with mode 0755, and this is user 10001, group 10001\n  chown -R 10001:10001 /data '
    chmodSync(dir, 0o755)
    const refused = await spawnGateway(t, dir, { before: containerLine(mounted, dir, config.User, config) }).ended
    t.match(refused, { code: 1 })
    t.ok(refused.err.includes(closed), refused.err)

    chmodSync(dir, 0o1777)
    const { gateway, execute, stop } = await startContainer(t, image, dir, 4242)
    t.match(execute(...config.Healthcheck.Test.slice(1)), /^ok {2}http:\/\/127/)
    t.match(execute('/usr/bin/headgate', 'webhook', 'test', 'hello', '--payload', '{"name":"Ada"}'), /<-- 202 accepted/)
    await gateway.line(({ text }) => text === 'Hi Ada')
    await stop()
  },
)

const other = arch === 'x64' ? 'arm64' : 'x64'
const otherFile = join(out, `headgate-${version}-image-${other}.tar`)
t.test('the image for another processor has nothing of this one', { skip: missing(otherFile) || noContainer }, (t) => {
  const { mounted } = mountedImage(t, `headgate:${version}-${other}`, ['--arch', debianArch[other]])
  t.equal(
    JSON.parse(run([...buildah(out), 'inspect', '--type', 'image', `headgate:${version}-${other}`])).OCIv1.architecture,
    debianArch[other],
  )
  const programs = readdirSync(mounted, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .filter((bytes) => bytes.length > 20 && bytes.readUInt32BE(0) === elf)
  t.ok(programs.length > 5)
  t.same(new Set(programs.map((bytes) => bytes.readUInt16LE(18))), new Set([machines[other]]))
  t.end()
})

const toolsImage = `headgate:${version}-tools`
const noTools =
  missing(imageFile) ||
  noContainer ||
  (!works('buildah', ...buildah(out).slice(1), 'inspect', '--type', 'image', toolsImage) && 'needs mmdebstrap')
t.test('the image with tools runs scripts, and has what comments on GitHub need', { skip: noTools }, async (t) => {
  const image = mountedImage(t, toolsImage)
  const script = "import json, sys; print(json.dumps({'name': json.load(sys.stdin)['name'].upper()}))\n"
  const dir = dataDir(t, { routes: { hello: { ...hello.routes.hello, script: 'shout.py' } } })
  mkdirSync(join(dir, 'scripts'))
  writeFileSync(join(dir, 'scripts/shout.py'), script)
  chmodSync(dir, 0o1777)
  const { gateway, execute, stop } = await startContainer(t, image, dir, 10_001)
  t.match(execute('/usr/bin/headgate', 'webhook', 'test', 'hello', '--payload', '{"name":"Ada"}'), /<-- 202 accepted/)
  await gateway.line(({ text }) => text === 'Hi ADA')
  for (const program of ['bash', 'git', 'gh', 'jq', 'python3']) t.match(execute(program, '--version'), /\d+\.\d+/, program)
  await stop()
})
