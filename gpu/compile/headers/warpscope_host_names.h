// Names that a kernel file of a person expects although the run-time compiler has no C library: what
// <cstdint>, <climits>, <cfloat>, <cmath>, <cassert>, <algorithm>, <limits> and <type_traits> give to device
// code under nvcc. 64-bit integers are long long, as the toolkit's own headers have them in the run-time
// compiler.

#pragma once

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned char u_char;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef long ssize_t;

#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull

#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN 1.17549435082228750797e-38f
#define FLT_MAX 3.40282346638528859812e+38f
#define FLT_EPSILON 1.1920928955078125e-07f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_EPSILON 2.22044604925031308085e-16

#define HUGE_VALF __int_as_float(0x7F800000)
#define HUGE_VAL __longlong_as_double(0x7FF0000000000000ll)
#define INFINITY HUGE_VALF
#define NAN __int_as_float(0x7FFFFFFF)

#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define CLOCKS_PER_SEC 1000000l

namespace std {

using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::cos;
using ::cosh;
using ::erf;
using ::exp;
using ::exp2;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::pow;
using ::ptrdiff_t;
using ::rint;
using ::round;
using ::rsqrt;
using ::sin;
using ::sinh;
using ::size_t;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;

template <typename T>
__device__ constexpr const T& min(const T& a, const T& b) {
    return b < a ? b : a;
}
template <typename T>
__device__ constexpr const T& max(const T& a, const T& b) {
    return a < b ? b : a;
}
template <typename T>
__device__ constexpr void swap(T& a, T& b) {
    T first = a;
    a = b;
    b = first;
}

template <typename T, T kValue>
struct integral_constant {
    static constexpr T value = kValue;
    using value_type = T;
    using type = integral_constant;
    __device__ constexpr operator T() const { return value; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <typename A, typename B>
struct is_same : false_type {};
template <typename A>
struct is_same<A, A> : true_type {};
template <typename A, typename B>
constexpr bool is_same_v = is_same<A, B>::value;
template <bool kHolds, typename T = void>
struct enable_if {};
template <typename T>
struct enable_if<true, T> {
    using type = T;
};
template <bool kHolds, typename T = void>
using enable_if_t = typename enable_if<kHolds, T>::type;
template <bool kHolds, typename A, typename B>
struct conditional {
    using type = A;
};
template <typename A, typename B>
struct conditional<false, A, B> {
    using type = B;
};
template <bool kHolds, typename A, typename B>
using conditional_t = typename conditional<kHolds, A, B>::type;
template <typename T>
struct is_integral : false_type {};
template <>
struct is_integral<bool> : true_type {};
template <>
struct is_integral<char> : true_type {};
template <typename T>
constexpr bool is_integral_v = is_integral<T>::value;
template <typename T>
struct is_floating_point : false_type {};
template <typename T>
constexpr bool is_floating_point_v = is_floating_point<T>::value;

// The members that kernels start a minimum or maximum from.
template <typename T>
struct numeric_limits;
#define WS_LIMITS(T, least, most, low, small, kind)               \
    template <>                                                   \
    struct numeric_limits<T> {                                    \
        __device__ static constexpr T min() { return least; }     \
        __device__ static constexpr T max() { return most; }      \
        __device__ static constexpr T lowest() { return low; }    \
        __device__ static constexpr T epsilon() { return small; } \
        __device__ static T infinity() { return (T)HUGE_VALF; }   \
        __device__ static T quiet_NaN() { return (T)NAN; }        \
    };                                                            \
    template <>                                                   \
    struct kind<T> : true_type {};
WS_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, SCHAR_MIN, 0, is_integral)
WS_LIMITS(unsigned char, 0, UCHAR_MAX, 0, 0, is_integral)
WS_LIMITS(short, SHRT_MIN, SHRT_MAX, SHRT_MIN, 0, is_integral)
WS_LIMITS(unsigned short, 0, USHRT_MAX, 0, 0, is_integral)
WS_LIMITS(int, INT_MIN, INT_MAX, INT_MIN, 0, is_integral)
WS_LIMITS(unsigned int, 0, UINT_MAX, 0, 0, is_integral)
WS_LIMITS(long, LONG_MIN, LONG_MAX, LONG_MIN, 0, is_integral)
WS_LIMITS(unsigned long, 0, ULONG_MAX, 0, 0, is_integral)
WS_LIMITS(long long, LLONG_MIN, LLONG_MAX, LLONG_MIN, 0, is_integral)
WS_LIMITS(unsigned long long, 0, ULLONG_MAX, 0, 0, is_integral)
WS_LIMITS(float, FLT_MIN, FLT_MAX, -FLT_MAX, FLT_EPSILON, is_floating_point)
WS_LIMITS(double, DBL_MIN, DBL_MAX, -DBL_MAX, DBL_EPSILON, is_floating_point)
#undef WS_LIMITS

}  // namespace std
