/**
 * `completion <shell>`: prints a script for a shell. The script calls `__complete` (`complete.ts`) for the candidates of the word that the
 * user completes.
 */

import { exit } from '../../core/fault.ts'
import { answer, type Cli } from '../shell/output.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

export const completion = async (shell: (typeof shells)[number], cli: Cli): Promise<number> => {
  const script = scripts[shell]
  if (cli.json) return answer(cli, { kind: 'completion', data: { shell, script }, text: '' })
  cli.io.stdout(script)
  return exit.ok
}

// Each script takes the output of `__complete` as data: the shell never expands or runs the output.
const scripts: { readonly [shell in (typeof shells)[number]]: string } = {
  bash: `# headgate completion for bash: source it, or save it as ~/.local/share/bash-completion/completions/headgate
_headgate() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      local prefix=
      if [[ $current == @* ]]; then prefix=@; fi
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$prefix$line"); done < <(compgen -f -- "\${current#@}")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == --*= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _headgate headgate
`,
  zsh: `#compdef headgate
# headgate completion for zsh: save it as _headgate in a folder of $fpath, or source it after compinit
_headgate() {
  local line value
  local -a found
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      compset -P '--*='
      compset -P '@'
      _files
    else
      value=\${line%%$'\\t'*}
      value=\${value//:/\\\\:}
      if [[ $line == *$'\\t'* ]]; then found+=("$value:\${line#*$'\\t'}"); else found+=("$value"); fi
    fi
  done < <("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  if (( \${#found} )); then _describe 'headgate' found; fi
}
if [[ \${funcstack[1]} == _headgate ]]; then _headgate "$@"; else compdef _headgate headgate; fi
`,
  fish: `# headgate completion for fish: save it as ~/.config/fish/completions/headgate.fish
function __headgate_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string replace -r '^["\\']' '')
    for line in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = ':files'
            set -l before (string match -r '^(?:--[^=]+=)?@?' -- "$current")
            for path in (__fish_complete_path (string replace -- "$before" '' "$current"))
                echo "$before$path"
            end
        else
            echo $line
        end
    end
end
complete -c headgate -f -a '(__headgate_complete)'
`,
}
