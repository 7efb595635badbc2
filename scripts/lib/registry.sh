# Whether npm's registry can be asked at all, before npm tries for minutes without a word. Sourced by checkout.sh, which has `say` and `fail`.

# Long enough for a slow proxy; npm alone tries for over two minutes.
registry_limit_s=${FAULTLINE_REGISTRY_LIMIT_S:-20}

# Ends with what to do where the registry's certificate is not trusted; says so and continues where it does not answer: npm's cache may have it all.
need_registry() {
  [ -z "${registry_asked:-}" ] || return 0
  registry_asked=1
  local registry said code
  registry=$(npm config get registry 2>/dev/null) || registry=
  say "asking the npm registry, ${registry:-as npm is configured}"
  said=$(timeout "$registry_limit_s" npm ping --fetch-retries=0 --loglevel=error 2>&1) && return
  code=$(grep -oE 'SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_[A-Z_]+|CERT_[A-Z_]+|ERR_TLS_[A-Z_]+' <<<"$said" | head -n 1) || code=
  if [ -n "$code" ]; then
    fail "the certificate of the npm registry${registry:+, $registry} is not trusted ($code): most often a proxy that signs with a CA of its own.
  Run this with the file of that CA, then this script again:  export NODE_EXTRA_CA_CERTS=/path/to/that-ca.pem"
  fi
  # A registry of a site may not know this question: what it answers over HTTP came through.
  ! grep -qE 'code E[45][0-9][0-9]$' <<<"$said" || return 0
  say "the npm registry does not answer; npm tries for some minutes, and takes what it has in its cache. Behind a proxy: export https_proxy=http://PROXY:PORT"
}
