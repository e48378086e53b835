/** Makes the folders that the `Dockerfile` copies into the images: the program, and what of Debian it needs in an image without a shell. */

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Component } from '../supply/sbom.ts'
import { contentsOf, isDocumentation } from './contents.ts'
import { layOut } from './lay-out.ts'
import type { Making } from './making.ts'
import { run } from './run.ts'
import { type Arch, debianArch } from './targets.ts'

/** Node needs the libraries, tini ends orphans of agents and scripts, and scanners find the release in `base-files`. */
const packages = ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6', 'tini']

/** What no program in the image reads. Texts of licences (`copyright`) stay. */
const unread = ['usr/lib/*-linux-gnu/gconv', 'usr/share/{gdb,info,lintian,locale,man}', 'usr/share/doc/*/[!c]*', 'usr/share/doc/*/c[!o]*']

/** The user of the image. Other users can be given, too, so the data directory is open to all, as `/tmp` is. */
const user = { name: 'headgate', id: 10_001, home: '/data' }

/** Writes `image/debian` and `image/app` into the output folder and returns the path of `image`. Needs apt, and its lists of packages. */
export const makeImageRoot = (making: Making): string => {
  const folder = join(making.out, 'image')
  rmSync(folder, { recursive: true, force: true })
  const debian = unpackDebian(folder, making.arch)
  const contents = contentsOf(making, { launcher: { prefix: '/usr' }, more: debian })
  const program = contents.filter((entry) => !isDocumentation(entry)).map((entry) => ({ ...entry, path: `usr/${entry.path}` }))
  layOut(program, join(folder, 'app'))
  return folder
}

/** Returns the arguments that begin a command of apt. For another processor than this machine's, apt has lists of its own below `folder`. */
const aptFor = (arch: Arch, folder: string): readonly string[] => {
  // The sandbox of apt belongs to another user, who may not write here.
  const apt = ['apt-get', '-qq', '-o', 'APT::Sandbox::User=root']
  if (arch === process.arch) return apt
  const lists = join(folder, 'lists')
  mkdirSync(join(lists, 'partial'), { recursive: true })
  const foreign = [...apt, '-o', `APT::Architecture=${debianArch[arch]}`, '-o', `APT::Architectures=${debianArch[arch]}`]
  const own = [...foreign, '-o', `Dir::State::lists=${lists}`, '-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache=']
  run([...own, 'update'])
  return own
}

/** Unpacks the packages into `debian` below `folder`, without running their scripts. Returns their components for the bill of materials. */
const unpackDebian = (folder: string, arch: Arch): readonly Component[] => {
  const downloads = join(folder, 'downloads')
  const tree = join(folder, 'debian')
  for (const path of [downloads, join(tree, 'var/lib/dpkg/status.d'), join(tree, 'data')]) mkdirSync(path, { recursive: true })
  run([...aptFor(arch, folder), 'download', ...packages], { cwd: downloads })
  rmSync(join(folder, 'lists'), { recursive: true, force: true })
  const components = readdirSync(downloads).map((file) => {
    const path = join(downloads, file)
    run(['dpkg-deb', '--extract', path, tree])
    const fields = run(['dpkg-deb', '--field', path])
    const [name, version, built] = ['Package', 'Version', 'Architecture'].map((key) => new RegExp(`^${key}: (.*)$`, 'm').exec(fields)?.[1])
    // Scanners of images look here for packages of Debian where dpkg itself is not in the image.
    writeFileSync(join(tree, 'var/lib/dpkg/status.d', name ?? ''), fields)
    const purl = `pkg:deb/debian/${encodeURIComponent(name ?? '')}@${encodeURIComponent(version ?? '')}?arch=${built}`
    return { type: 'library' as const, 'bom-ref': purl, group: 'debian', name: name ?? '', version: version ?? '', purl }
  })
  rmSync(downloads, { recursive: true })
  run(['bash', '-c', `rm -rf ${unread.join(' ')}`], { cwd: tree })
  // The scripts of the packages would have made these files.
  const authorities = join(tree, 'usr/share/ca-certificates/mozilla')
  const bundle = readdirSync(authorities)
    .sort()
    .map((file) => readFileSync(join(authorities, file), 'utf8'))
  mkdirSync(join(tree, 'etc/ssl/certs'), { recursive: true })
  writeFileSync(join(tree, 'etc/ssl/certs/ca-certificates.crt'), bundle.join(''))
  const { name, id, home } = user
  writeFileSync(join(tree, 'etc/passwd'), `root:x:0:0:root:/root:/usr/sbin/nologin\n${name}:x:${id}:${id}::${home}:/usr/sbin/nologin\n`)
  writeFileSync(join(tree, 'etc/group'), `root:x:0:\n${name}:x:${id}:\n`)
  chmodSync(join(tree, 'data'), 0o1777)
  return components
}
