# A thin second route to the addon and the vendor child, for people without CMake; CMakeLists.txt is the one true build.
{
  'target_defaults': {
    'include_dirs': ['native'],
    'cflags': ['-Wall', '-Wextra', '-Werror', '-fno-omit-frame-pointer', '-fvisibility=hidden'],
    'cflags_cc': ['-std=c++20', '-fvisibility-inlines-hidden'],
    'cflags_cc!': ['-std=gnu++17', '-std=gnu++20', '-fno-rtti'],
    'ldflags': [
      '-static-libstdc++', '-static-libgcc', '-Wl,-z,relro,-z,now,-z,noexecstack', '-Wl,--exclude-libs,ALL',
      '-Wl,--undefined=faultline_portable_glibc',
      '-Wl,--no-as-needed', '-l:libpthread.so.0', '-l:libdl.so.2', '-Wl,--as-needed',
    ],
    'configurations': {'Release': {'defines': ['NDEBUG']}},
  },
  'targets': [
    {
      'target_name': 'faultline_core',
      'type': 'static_library',
      'cflags_cc!': ['-fno-exceptions'],
      'cflags': ['-fPIC'],
      'defines': ['FAULTLINE_VERSION="<!(node -p "require(\'./package.json\').version")"'],
      'sources': ['<!@(node -p "require(\'./native/sources.json\').core.map((file) => \'native/\' + file).join(\' \')")'],
    },
    {
      'target_name': 'faultline_portable',
      'type': 'static_library',
      'cflags_cc!': ['-fno-exceptions'],
      'cflags': ['-fPIC'],
      'sources': ['<!@(node -p "require(\'./native/sources.json\').portable.map((file) => \'native/\' + file).join(\' \')")'],
    },
    {
      'target_name': 'faultline',
      'dependencies': ['faultline_core', 'faultline_portable'],
      'include_dirs': ['<!(node -p "require(\'node-addon-api\').include_dir")'],
      'defines': ['NAPI_VERSION=8', 'NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS', 'NODE_ADDON_API_DISABLE_DEPRECATED'],
      'ldflags': ['-Wl,-z,nodelete', '-Wl,--version-script=<(module_root_dir)/native/addon/exports.map'],
      'sources': ['<!@(node -p "require(\'./native/sources.json\').addon.map((file) => \'native/\' + file).join(\' \')")'],
    },
    {
      'target_name': 'faultline-vendor',
      'type': 'executable',
      'dependencies': ['faultline_core', 'faultline_portable'],
      'cflags_cc!': ['-fno-exceptions'],
      'ldflags!': ['-rdynamic'],
      'libraries': ['-ldl', '-lpthread'],
      'sources': ['<!@(node -p "require(\'./native/sources.json\').vendor.map((file) => \'native/\' + file).join(\' \')")'],
    },
    {
      'target_name': 'faultline-fr',
      'type': 'executable',
      'dependencies': ['faultline_core', 'faultline_portable'],
      'cflags_cc!': ['-fno-exceptions'],
      'ldflags!': ['-rdynamic'],
      'libraries': ['-ldl', '-lpthread'],
      'sources': ['<!@(node -p "require(\'./native/sources.json\').reader.map((file) => \'native/\' + file).join(\' \')")'],
    },
  ],
}
