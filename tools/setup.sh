# Sourced by the other tools: installs what is missing and builds. Says what it does; quiet where nothing is to do.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*"; }
die() {
    printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Runs a command as root: as it is, or through sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root to install packages: run it as root, or install sudo"
    fi
}

# Nothing here pipes into grep -q: grep ends at the first match, the writer then ends with SIGPIPE, and under pipefail a
# match counts as a failure.
installed() { [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) = *'ok installed'* ]]; }

# install WHY PACKAGE...: installs the packages that are missing.
install() {
    local why=$1 missing=()
    shift
    for package in "$@"; do installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} = 0 ] && return
    command -v apt-get >/dev/null ||
        die "without apt-get the packages must be installed by hand ($why): ${missing[*]}"
    say "installing ${missing[*]} ($why)"
    apt_update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
        { tail -n 20 "$log" >&2; die "installing failed; the whole log is in $log"; }
}

# Whether the distribution has the package. In C's locale: apt translates what it prints.
available() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) = *'Candidate: '[0-9]* ]]; }

# install_available WHY PACKAGE...: installs the missing packages that the distribution has; continues without them where
# that fails (no network, not root).
install_available() {
    local why=$1 package found=()
    shift
    for package in "$@"; do
        installed "$package" && continue
        if ! available "$package" && [ -z "${apt_tried:-}" ]; then
            apt_tried=1
            (apt_update) || true
        fi
        if available "$package"; then found+=("$package"); fi
    done
    [ ${#found[@]} = 0 ] || (install "$why" "${found[@]}") || say "going on without ${found[*]}"
}

# debian_mirror RELEASE: where this machine gets Debian's packages, as apt reports it, whatever the form of its lists.
debian_mirror() {
    local site release component
    while read -r site release component; do
        [ "$release" = "$1" ] && [ "$component" = main ] && { printf '%s\n' "$site"; return; }
    done < <(LC_ALL=C apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null)
    printf '%s\n' http://deb.debian.org/debian
}

apt_update() {
    [ -n "${apt_updated:-}" ] && return
    as_root apt-get update -q >"$log" 2>&1 || { tail -n 5 "$log" >&2; die "apt-get update failed"; }
    apt_updated=1
}

have_cuda() {
    compgen -G '/usr/local/cuda*/include/nvrtc.h' >/dev/null || [ -e /usr/include/nvrtc.h ] || [ -n "${CUDAToolkit_ROOT:-}" ]
}

# The CUDA toolkit: headers, the static runtime and NVRTC. No GPU and no nvcc are needed to build.
install_cuda() {
    have_cuda && return
    . /etc/os-release
    apt_update
    if [ "$ID" = debian ] && ! available nvidia-cuda-dev; then
        say "enabling Debian's contrib and non-free packages (the CUDA toolkit lies there): /etc/apt/sources.list.d/warpscope-cuda.sources"
        printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: contrib non-free\nSigned-By: %s\n' \
            "$(debian_mirror "$VERSION_CODENAME")" "$VERSION_CODENAME" /usr/share/keyrings/debian-archive-keyring.gpg |
            as_root tee /etc/apt/sources.list.d/warpscope-cuda.sources >/dev/null
        apt_updated=
    fi
    install "the CUDA toolkit; no other was found under /usr/local/cuda" nvidia-cuda-dev
}

install_build_packages() {
    install "to build" g++ cmake ninja-build python3 libcli11-dev nlohmann-json3-dev libfmt-dev libhwy-dev libstb-dev
    install "for the window" libglfw3-dev libimgui-dev libegl1 libgl1-mesa-dri fonts-dejavu-core
    # Where the distribution has none, CMake fetches it.
    install_available "to generate the OpenGL loader" python3-glad
    install_available "for a faster simulated GPU; without it kernels are interpreted" libasmjit-dev
    install_available "for posters; without it there are none" libcairo2-dev
    install_available "for faster picture files; without them stb reads and writes" libjpeg-dev libturbojpeg0-dev libdeflate-dev libwebp-dev
    install_cuda
}

# configure PRESET [CMAKE_OPTION...]: unless that was done with these options.
configure() {
    local preset=$1 folder=$root/build/$1 options
    shift
    options="$*"
    mkdir -p "$folder"
    log=$folder/build.log
    [ -e "$folder/build.ninja" ] && [ "$(cat "$folder/options" 2>/dev/null)" = "$options" ] && return
    say "configuring build/$preset"
    # Several sources at a time: half as long for a build that begins with nothing.
    (cd "$root" && cmake --preset "$preset" -DCMAKE_UNITY_BUILD=ON "$@") >"$log" 2>&1 || { tail -n 30 "$log" >&2; die "configuring failed"; }
    printf '%s' "$options" >"$folder/options"
    say "building build/$preset (the first time takes some minutes)"
}

# build PRESET [TARGET...]
build() {
    local folder=$root/build/$1
    shift
    log=$folder/build.log
    [ $# = 0 ] && set -- all
    cmake --build "$folder" --target "$@" >"$log" 2>&1 ||
        { grep -E -m 10 -A5 'error|FAILED' "$log" >&2 || tail -n 20 "$log" >&2; die "building failed; the whole log is in $log"; }
}

mkdir -p "$root/build"
log=$root/build/setup.log
